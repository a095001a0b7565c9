// mocha --require ./test/support/on-mariadb.ts: the tests of databases run on MariaDB alone; see describeOnDatabases.
process.env['TEST_DATABASES'] = 'mariadb';
