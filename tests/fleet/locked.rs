//! A server that speaks TLS and lets in only who has credentials. The authority, the certificate and the keys are made
//! for each test by openssl; the tokens of operator, accounts and user are written here as NATS wants them.

use super::{Running, free_port, wait_until_it_answers};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Locked {
    pub url: String,
    pub authority: PathBuf,
    /// Signed by nobody that the server knows.
    pub other_authority: PathBuf,
    pub creds: PathBuf,
    pub other_creds: PathBuf,
    _running: Running,
    _folder: tempfile::TempDir,
}

impl Locked {
    pub fn start() -> Locked {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        make_certificates(at);
        openssl(at, "req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -subj /CN=other");
        let creds = |name: &str, user: &Key, account: &Key| {
            let token = token(user, account, r#"{"type":"user","version":2,"subs":-1,"data":-1,"payload":-1}"#);
            let text = format!(
                "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
                 -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
                user.seed()
            );
            fs::write(at.join(name), text).unwrap();
            at.join(name)
        };
        let [operator, system, account] =
            [("operator", OPERATOR), ("system", ACCOUNT), ("account", ACCOUNT)].map(|(n, k)| Key::make(at, n, k));
        let creds_of = |name: &str, account: &Key| creds(name, &Key::make(at, &format!("{name}.key"), USER), account);
        let known = creds_of("user.creds", &account);
        let other_creds = creds_of("other.creds", &Key::make(at, "stranger", ACCOUNT));
        let limits = r#"{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,
            "leaf":-1,"mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1}"#;
        let of_account = format!(r#"{{"type":"account","version":2,"limits":{limits}}}"#);
        let plain = r#"{"type":"account","version":2,"limits":{"subs":-1,"data":-1,"payload":-1,"conn":-1}}"#;
        let port = free_port();
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: \"{at}/js\" }}\n\
             tls {{ cert_file: \"{at}/server.pem\", key_file: \"{at}/server.key\" }}\n\
             operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload {{ {}: {}, {}: {} }}\n",
            token(&operator, &operator, r#"{"type":"operator","version":2}"#),
            system.public(),
            system.public(),
            token(&system, &operator, plain),
            account.public(),
            token(&account, &operator, &of_account),
            at = at.display(),
        );
        fs::write(at.join("nats.conf"), config).unwrap();
        let mut server = Command::new(super::nats_server());
        let log = fs::File::create(at.join("log")).unwrap();
        server.arg("-c").arg(at.join("nats.conf")).stdout(Stdio::null()).stderr(log);
        let running = Running(server.spawn().expect("./x nats 2.10.27"));
        wait_until_it_answers(port);
        Locked {
            url: format!("tls://127.0.0.1:{port}"),
            authority: at.join("ca.pem"),
            other_authority: at.join("other.pem"),
            creds: known,
            other_creds,
            _running: running,
            _folder: folder,
        }
    }
}

fn openssl(at: &Path, args: &str) {
    let made = Command::new("openssl").args(args.split(' ')).current_dir(at).output().expect("openssl is installed");
    assert!(made.status.success(), "openssl {args}: {}", String::from_utf8_lossy(&made.stderr));
}

fn make_certificates(at: &Path) {
    fs::write(at.join("server.ext"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n").unwrap();
    openssl(at, "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority");
    openssl(at, "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server");
    openssl(
        at,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile server.ext -out server.pem",
    );
}

/// The first byte of a public key says whose it is.
const OPERATOR: u8 = 14 << 3;
const ACCOUNT: u8 = 0;
const USER: u8 = 20 << 3;
const SEED: u8 = 18 << 3;

/// A key as NATS writes it: kind, bytes and a checksum in base 32.
struct Key {
    kind: u8,
    secret: Vec<u8>,
    public: Vec<u8>,
    file: PathBuf,
}

impl Key {
    fn make(at: &Path, name: &str, kind: u8) -> Key {
        openssl(at, &format!("genpkey -algorithm ed25519 -out {name}.pem"));
        openssl(at, &format!("pkey -in {name}.pem -outform DER -out {name}.der"));
        openssl(at, &format!("pkey -in {name}.pem -pubout -outform DER -out {name}.pub"));
        // The 32 bytes of such a key stand at the end of either file.
        let last = |ending: &str| {
            let bytes = fs::read(at.join(format!("{name}.{ending}"))).unwrap();
            bytes[bytes.len() - 32..].to_vec()
        };
        Key { kind, secret: last("der"), public: last("pub"), file: at.join(format!("{name}.pem")) }
    }

    fn public(&self) -> String {
        with_checksum([&[self.kind], self.public.as_slice()].concat())
    }

    fn seed(&self) -> String {
        let head = [SEED | self.kind >> 5, (self.kind & 31) << 3];
        with_checksum([&head, self.secret.as_slice()].concat())
    }

    fn sign(&self, text: &str) -> Vec<u8> {
        let (said, signed) = (self.file.with_extension("said"), self.file.with_extension("signed"));
        fs::write(&said, text).unwrap();
        let files = [&self.file, &said, &signed].map(|f| f.to_str().unwrap());
        let args = format!("pkeyutl -sign -rawin -inkey {} -in {} -out {}", files[0], files[1], files[2]);
        openssl(self.file.parent().unwrap(), &args);
        fs::read(signed).unwrap()
    }
}

/// What `issuer` says about `subject`, as a JSON web token.
fn token(subject: &Key, issuer: &Key, nats: &str) -> String {
    let claims = format!(
        r#"{{"jti":"{}","iat":1700000000,"iss":"{}","name":"test","sub":"{}","nats":{nats}}}"#,
        subject.public(),
        issuer.public(),
        subject.public()
    );
    let said = format!("{}.{}", base64(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#), base64(claims.as_bytes()));
    let signature = base64(&issuer.sign(&said));
    format!("{said}.{signature}")
}

fn with_checksum(mut bytes: Vec<u8>) -> String {
    let crc = bytes.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |c, _| if c & 0x8000 != 0 { c << 1 ^ 0x1021 } else { c << 1 })
    });
    bytes.extend(crc.to_le_bytes());
    in_letters(&bytes, 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}

fn base64(bytes: &[u8]) -> String {
    in_letters(bytes, 6, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}

/// So many bits per letter, without padding.
fn in_letters(bytes: &[u8], bits: usize, letters: &[u8]) -> String {
    let bit = |i: usize| bytes.get(i / 8).map_or(0, |b| b >> (7 - i % 8) & 1);
    let letter = |at: usize| letters[(at..at + bits).fold(0, |n, i| n << 1 | bit(i)) as usize] as char;
    (0..bytes.len() * 8).step_by(bits).map(letter).collect()
}
