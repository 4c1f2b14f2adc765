//! What there is of ours on a server of others: a database, and a user who may work in it and do nothing else, so that
//! no statement reaches anything beside it, whatever it says. Both have the same name, by which they are found and
//! dropped when the run that made them was killed.

use crate::owned::{self, Fate};
use crate::url::Secret;
use mysql::prelude::Queryable;
use mysql::{Conn, Error};

/// How long dropping waits for the last statement of whoever was killed.
const LOCK_SECONDS: u32 = 5;

pub struct Login {
    pub user: String,
    pub password: Secret,
    host: String,
}

impl Login {
    /// The error says why it cannot be had.
    pub fn create(conn: &mut Conn, database: &str) -> Result<Login, String> {
        let password = owned::secret().map_err(|e| e.to_string())?;
        // As the server sees this machine: from elsewhere nobody gets in.
        let host: Option<String> =
            conn.query_first("SELECT substring_index(user(), '@', -1)").map_err(|e| e.to_string())?;
        let login = Login { user: database.into(), password, host: host.unwrap_or_else(|| "localhost".into()) };
        let account = login.account();
        conn.query_drop(format!("CREATE USER {account} IDENTIFIED BY '{}'", login.password.expose()))
            .map_err(|e| e.to_string())?;
        // An underscore would stand for any character.
        let pattern = database.replace('_', "\\_");
        if let Err(e) = conn.query_drop(format!("GRANT ALL PRIVILEGES ON `{pattern}`.* TO {account}")) {
            login.drop_from(conn);
            return Err(e.to_string());
        }
        Ok(login)
    }

    fn account(&self) -> String {
        account(&self.user, &self.host)
    }

    pub fn drop_from(&self, conn: &mut Conn) {
        let _ = conn.query_drop(format!("DROP USER IF EXISTS {}", self.account()));
    }
}

fn account(user: &str, host: &str) -> String {
    format!("'{user}'@'{}'", host.replace('\\', "\\\\").replace('\'', "''"))
}

/// Drops what killed runs have left on this server: their names say whose they were.
pub fn sweep(conn: &mut Conn) -> Result<(), Error> {
    conn.query_drop(format!("SET SESSION lock_wait_timeout = {LOCK_SECONDS}"))?;
    let databases = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'qualm\\_%\\_%'";
    for name in conn.query::<String, _>(databases)? {
        let abandoned = match owned::fate(&name) {
            Fate::Orphan => true,
            // Its owner holds a lock by its name as long as it lives.
            Fate::Expired => conn.query_first(format!("SELECT is_free_lock('{name}')"))? == Some(1),
            Fate::InUse | Fate::Foreign => false,
        };
        if abandoned {
            let _ = conn.query_drop(format!("DROP DATABASE IF EXISTS {name}"));
        }
    }
    // Not everyone may see who there is; whoever may not has made nobody.
    let users: Vec<(String, String)> =
        conn.query("SELECT user, host FROM mysql.user WHERE user LIKE 'qualm\\_%\\_%'").unwrap_or_default();
    for (user, host) in users {
        if matches!(owned::fate(&user), Fate::Orphan | Fate::Expired) {
            let _ = conn.query_drop(format!("DROP USER IF EXISTS {}", account(&user, &host)));
        }
    }
    Ok(())
}
