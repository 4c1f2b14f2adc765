//! A wire to a server that can be cut: connections break and new ones are refused until it is mended.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub struct Wire {
    pub port: u16,
    whole: Arc<AtomicBool>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    pub fn to(server: u16) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let wire = Wire { port, whole: Arc::new(AtomicBool::new(true)), ends: Arc::default() };
        let (whole, ends) = (wire.whole.clone(), wire.ends.clone());
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                // One that is cut hangs up on whoever calls.
                let far = TcpStream::connect(("127.0.0.1", server)).ok().filter(|_| whole.load(Ordering::SeqCst));
                let Some(far) = far else { continue };
                let both = [near.try_clone().unwrap(), far.try_clone().unwrap()];
                ends.lock().unwrap().extend(both);
                carry(near.try_clone().unwrap(), far.try_clone().unwrap());
                carry(far, near);
            }
        });
        wire
    }

    pub fn cut(&self) {
        self.whole.store(false, Ordering::SeqCst);
        self.ends.lock().unwrap().drain(..).for_each(|end| drop(end.shutdown(Shutdown::Both)));
    }

    pub fn mend(&self) {
        self.whole.store(true, Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    });
}
