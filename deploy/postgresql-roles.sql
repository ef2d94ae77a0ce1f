-- Two roles instead of one: deniable_owner owns the tables and runs `manage.py migrate`;
-- deniable_service serves pages and makes reports. Run as a superuser, in the database, after
-- every migration:
--   psql --set ON_ERROR_STOP=1 --file deploy/postgresql-roles.sql DATABASE
-- Triggers refuse changes of what was promised and of the ledger. TRUNCATE asks no row trigger,
-- and the owner of a table can switch its triggers off: the service can do neither.

DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'deniable_service') THEN
    CREATE ROLE deniable_service NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
  END IF;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO deniable_service;
-- TRUNCATE, REFERENCES and TRIGGER are not granted, nor any change of the schema.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, deniable_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO deniable_service;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO deniable_service;
-- Retention writes tables anew that it erased (VACUUM FULL). Before PostgreSQL 17 only their owner
-- may: run manage.py retention as deniable_owner there.
DO $$ BEGIN
  IF current_setting('server_version_num')::integer >= 170000 THEN
    GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO deniable_service;
  END IF;
END $$;
-- Rows that are only ever added. UPDATE stays where a row is locked before it is read
-- (SELECT ... FOR UPDATE asks for that right); its trigger refuses changes.
REVOKE DELETE ON analytics_budget, analytics_expenditure, surveys_revision FROM deniable_service;
REVOKE UPDATE, DELETE ON surveys_auditentry, ranking_rankingchoice, surveys_programversion FROM deniable_service;
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM deniable_service;
