//! Ends what a private server consists of when the process that started it was killed. Knows processes and folders.
//!
//! The kernel signals a server when its starter dies (`PR_SET_PDEATHSIG`), but only the first process of it, and one
//! that is stopped does not hear. A warden is a process of its own, so it outlives the starter: a shell that waits at a
//! pipe. When the pipe closes, it ends every process that works in the server's folder. A starter that lives ends its
//! server by itself, and then kills the warden.

use qualm_host::process::Signal;
use rustix::process::setsid;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Written in what every shell knows. Processes are found by the folder that they work in, as `scratch::processes_in`
/// does: the server's number may belong to another process by now, and its children may have lost their parent.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
while read -r word; do :; done
folder=$1 signal=$2
family() {
  ls -ld /proc/[0-9]*/cwd | while read -r line; do
    case $line in *" -> $folder/"*) ;; *) continue ;; esac
    pid=${line#*/proc/} pid=${pid%%/*}
    read -r stat <"/proc/$pid/stat" || continue
    set -- ${stat##*) }
    [ "$5" != 0 ] || echo "$pid"
  done
}
signal_all() { for pid in $(family); do kill "-$1" "$pid"; done; }
signal_all "$signal"
signal_all CONT
tries=0
while [ $tries -lt 300 ] && [ -n "$(family)" ]; do
  [ $tries -lt 30 ] || signal_all KILL
  tries=$((tries + 1))
  sleep 0.1
done
"#;

/// Lives as long as the server does.
pub struct Warden {
    process: Child,
}

impl Warden {
    /// Guards the folders inside this one. `signal` ends a server quickly with all that belongs to it.
    pub fn watch(folder: &Path, signal: Signal) -> io::Result<Warden> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "qualm-warden"]).arg(folder).arg(signal.as_raw().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
        command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        // SAFETY: between fork and exec a plain system call is made.
        unsafe {
            command.pre_exec(|| {
                // Ctrl-C and signals to the starter's group are not for it.
                setsid()?;
                Ok(())
            })
        };
        Ok(Warden { process: command.spawn()? })
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        // The signal comes before the end of the pipe, and also reaches one that is stopped.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
