//! Folders that are made once and then used by many processes at the same time: releases where a server may read them,
//! and data folders of fresh servers. Knows files; what they are for is not known here.
//!
//! Each folder is made under a name of its own and moved to its place when it is finished; a list of all its files is
//! moved after it. A folder is used only if it is exactly what its list says. One that is not (its maker was killed,
//! the disk was full, somebody cleaned up) is made again.

use qualm_host::scratch;
use std::fmt::Write;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown, symlink};
use std::path::{Path, PathBuf};

/// The right to make one folder, or to make it again. All others who want it wait.
pub struct Making<'a> {
    shelf: &'a Path,
    name: &'a str,
    _lock: File,
}

/// The folder of this name, if it is whole.
pub fn find(shelf: &Path, name: &str) -> Option<PathBuf> {
    let folder = shelf.join(name);
    let expected = fs::read_to_string(list_of(shelf, name)).ok()?;
    (listing(&folder).ok()? == expected).then_some(folder)
}

/// Waits for the right to make the folder. Whoever had it before may have made the folder: look again.
pub fn make<'a>(shelf: &'a Path, name: &'a str) -> io::Result<Making<'a>> {
    let mut options = OpenOptions::new();
    let options = options.create(true).append(true).mode(0o600);
    let lock = scratch::open_own(&shelf.join(format!("{name}.lock")), options)?;
    lock.lock()?;
    Ok(Making { shelf, name, _lock: lock })
}

impl Making<'_> {
    /// Copies a folder to its place and says where that is.
    pub fn publish(&self, from: &Path) -> io::Result<PathBuf> {
        let beside = |what: &str| self.shelf.join(format!("{what}-{}", self.name));
        let (new, new_list, old) = (beside("new"), beside("list"), beside("old"));
        // What has these names was left by someone who was killed: we have the lock.
        let clear = || -> io::Result<()> { [&new, &old].iter().try_for_each(|path| remove_tree(path)) };
        let done = (|| {
            clear()?;
            copy_tree(from, &new, None)?;
            fs::write(&new_list, listing(&new)?)?;
            let target = self.shelf.join(self.name);
            // A server may be running from the broken one; it keeps the files that it has open.
            match fs::rename(&target, &old) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
            fs::rename(&new, &target)?;
            fs::rename(&new_list, list_of(self.shelf, self.name))?;
            Ok(target)
        })();
        let _ = clear();
        if done.is_err() {
            let _ = fs::remove_file(&new_list);
        }
        done
    }
}

fn list_of(shelf: &Path, name: &str) -> PathBuf {
    shelf.join(format!("{name}.files"))
}

fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Everything in a folder, one line each: kind, permissions, size, time of the last change, name. A file that a power
/// cut left without its contents has another size than it had in memory when the list was made.
fn listing(folder: &Path) -> io::Result<String> {
    let mut lines = String::new();
    let mut left = vec![PathBuf::new()];
    while let Some(relative) = left.pop() {
        let path = folder.join(&relative);
        let mut names: Vec<_> = fs::read_dir(&path)?.map(|e| e.map(|e| e.file_name())).collect::<io::Result<_>>()?;
        names.sort();
        for name in names {
            let inside = relative.join(&name);
            let found = fs::symlink_metadata(folder.join(&inside))?;
            let mode = found.mode() & 0o7777;
            let what = if found.is_dir() {
                format!("folder {mode:o}")
            } else if found.is_symlink() {
                format!("link {:?}", fs::read_link(folder.join(&inside))?)
            } else {
                format!("file {mode:o} {} {}.{:09}", found.size(), found.mtime(), found.mtime_nsec())
            };
            let _ = writeln!(lines, "{what} {inside:?}");
            if found.is_dir() {
                left.push(inside);
            }
        }
    }
    Ok(lines)
}

/// Copies a folder with permissions and symbolic links, and gives all of it to a user.
pub fn copy_tree(from: &Path, to: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    let kind = fs::symlink_metadata(from)?;
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if kind.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), owner)?;
        }
        fs::set_permissions(to, kind.permissions())?;
    } else if kind.is_file() {
        fs::copy(from, to)?;
    } else {
        // Sockets and pipes are not data.
        return Ok(());
    }
    give(to, owner)
}

/// Makes somebody the owner; nothing happens when nobody is named.
pub fn give(path: &Path, to: Option<(u32, u32)>) -> io::Result<()> {
    to.map_or(Ok(()), |(user, group)| chown(path, Some(user), Some(group)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    const FILES: usize = 60;

    /// A release whose files all say which one it is.
    fn release(name: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..FILES {
            let sub = folder.path().join(format!("lib-{}", n % 7));
            fs::create_dir_all(&sub).unwrap();
            fs::write(sub.join(format!("file-{n}-of-{name}")), name.repeat(n * 50)).unwrap();
        }
        symlink("lib-0", folder.path().join("lib")).unwrap();
        folder
    }

    fn find_or_publish(shelf: &Path, name: &str, from: &Path) -> PathBuf {
        find(shelf, name).unwrap_or_else(|| {
            let making = make(shelf, name).unwrap();
            find(shelf, name).unwrap_or_else(|| making.publish(from).unwrap())
        })
    }

    fn same(a: &Path, b: &Path) -> bool {
        let names = |folder: &Path| -> Vec<String> {
            let lines = listing(folder).unwrap();
            lines.lines().map(|l| l[l.rfind(' ').unwrap()..].to_string()).collect()
        };
        let read = |folder: &Path| -> Vec<Vec<u8>> {
            let paths = names(folder).into_iter().map(|n| folder.join(n.trim().trim_matches('"')));
            paths.filter(|p| p.is_file()).map(|p| fs::read(p).unwrap()).collect()
        };
        names(a) == names(b) && read(a) == read(b)
    }

    #[test]
    fn many_threads_publish_different_releases_at_once() {
        let shelf = tempfile::tempdir().unwrap();
        let releases: Vec<_> = (0..4).map(|n| release(&format!("release{n}"))).collect();
        // Two for each release: one of them finds it, or waits for it.
        let together = Barrier::new(2 * releases.len());
        std::thread::scope(|scope| {
            for n in 0..2 * releases.len() {
                let (at, from) = (n % releases.len(), releases[n % releases.len()].path());
                let (shelf, together) = (shelf.path(), &together);
                scope.spawn(move || {
                    together.wait();
                    let found = find_or_publish(shelf, &format!("engine-{at}"), from);
                    assert!(same(&found, from), "release {at}");
                });
            }
        });
        for (n, from) in releases.iter().enumerate() {
            assert!(same(&find(shelf.path(), &format!("engine-{n}")).unwrap(), from.path()));
        }
        // Nothing else is left: a folder, a list and a lock each.
        assert_eq!(fs::read_dir(shelf.path()).unwrap().count(), 3 * releases.len());
    }

    #[test]
    fn a_damaged_folder_is_made_again() {
        let (shelf, from) = (tempfile::tempdir().unwrap(), release("good"));
        let shelf = shelf.path();
        let published = find_or_publish(shelf, "engine", from.path());
        assert_eq!(find(shelf, "engine"), Some(published.clone()));
        let file = published.join("lib-3/file-3-of-good");
        let damages: [(&str, &dyn Fn()); 8] = [
            ("a file is gone", &|| fs::remove_file(&file).unwrap()),
            ("a file is shorter", &|| File::options().write(true).open(&file).unwrap().set_len(10).unwrap()),
            ("a file was written again", &|| fs::write(&file, "evil".repeat(3 * 50)).unwrap()),
            ("a file of another release", &|| fs::write(published.join("lib-1/other"), "").unwrap()),
            ("a link points elsewhere", &|| {
                fs::remove_file(published.join("lib")).unwrap();
                symlink("/tmp", published.join("lib")).unwrap();
            }),
            ("there is no list", &|| fs::remove_file(list_of(shelf, "engine")).unwrap()),
            ("it is gone", &|| fs::remove_dir_all(&published).unwrap()),
            ("its maker was killed", &|| {
                fs::remove_dir_all(&published).unwrap();
                fs::remove_file(list_of(shelf, "engine")).unwrap();
                fs::create_dir_all(shelf.join("new-engine/lib-1")).unwrap();
                fs::write(shelf.join("new-engine/lib-1/half"), "").unwrap();
            }),
        ];
        for (what, damage) in damages {
            damage();
            assert_eq!(find(shelf, "engine"), None, "{what}");
            assert_eq!(find_or_publish(shelf, "engine", from.path()), published, "{what}");
            assert!(same(&published, from.path()), "{what}");
            assert_eq!(fs::read_dir(shelf).unwrap().count(), 3, "{what}");
        }
    }

    #[test]
    fn a_copy_that_fails_leaves_nothing() {
        let (shelf, from) = (tempfile::tempdir().unwrap(), release("gone"));
        let making = make(shelf.path(), "engine").unwrap();
        assert!(making.publish(&from.path().join("no such folder")).is_err());
        assert_eq!(fs::read_dir(shelf.path()).unwrap().count(), 1);
        assert_eq!(find(shelf.path(), "engine"), None);
    }
}
