//! The role that a session works as: it owns the session's database and has no other rights, so that no statement can
//! read a file, run a program or change what is beside the database, whatever it says. It is made and dropped with the
//! database and has the same name.

use super::home::Home;
use super::wire::{Connection, FailureKind};
use crate::owned;
use crate::url::Secret;

pub struct Role {
    pub name: String,
    password: Secret,
    /// The server does not let it in by itself: someone else has logged in and taken its place.
    assumed: bool,
}

impl Role {
    /// The error says why it cannot be had.
    pub fn create(admin: &mut Connection, name: &str) -> Result<Role, FailureKind> {
        let password = owned::secret()?;
        let rights = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS";
        admin.query(&format!("CREATE ROLE {name} LOGIN {rights} PASSWORD '{}'", password.expose()))?;
        // Whoever is no superuser may give a database only to a role that it belongs to.
        let joined = admin.query(&format!("GRANT {name} TO CURRENT_USER"));
        if let Err(failure) = joined {
            drop_role(admin, name);
            return Err(failure);
        }
        Ok(Role { name: name.into(), password, assumed: false })
    }

    /// On a private server nothing is secret, and its settings may be looked at and flipped.
    pub fn allow_settings(&self, admin: &mut Connection) {
        let name = &self.name;
        // Releases that do not have these have nothing to allow.
        let _ = admin.query(&format!("GRANT pg_read_all_settings TO {name}"));
        let _ = admin.query("GRANT SET ON PARAMETER wal_compression TO PUBLIC");
    }

    /// A connection to the database of its name.
    pub fn enter(&mut self, home: &Home, major: u32) -> Result<Connection, FailureKind> {
        if major < 15 {
            // Since 15 the schema belongs to whoever has the database.
            let _ = home.connect(Some(&self.name))?.query(&format!("ALTER SCHEMA public OWNER TO {}", self.name));
        }
        match home.connect_as(&self.name, &self.name, &self.password) {
            // The server's own rules keep it out.
            Err(FailureKind::Refused(r)) if r.sqlstate.starts_with("28") => {
                self.assumed = true;
                let mut connection = home.connect(Some(&self.name))?;
                self.take_place(&mut connection)?;
                Ok(connection)
            }
            done => done,
        }
    }

    /// After whatever makes the server forget who is asking.
    pub fn take_place(&self, connection: &mut Connection) -> Result<(), FailureKind> {
        if self.assumed {
            connection.query(&format!("SET ROLE {}", self.name))?;
        }
        Ok(())
    }
}

/// One that is not there, or that nobody may drop, is not an error.
pub fn drop_role(admin: &mut Connection, name: &str) {
    let _ = admin.query(&format!("DROP ROLE IF EXISTS {name}"));
}
