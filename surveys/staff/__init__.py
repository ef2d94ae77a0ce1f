"""Who may do what: logins, roles, access, members, accounts, the audit log."""
