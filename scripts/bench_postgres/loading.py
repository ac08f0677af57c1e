"""Many users in a database: the rows of one user, which the server wrote itself, are copied by `COPY`.

The rows of a copy differ from the rows of the first user only in the numbers of databases, zones and records, in the
change number of the public user record, and in the names of the user and account. A record name needs no change,
because names belong to their zone.
"""
import dataclasses
import hashlib
import subprocess
import time

from .cluster import fail

# The columns whose values are numbers of rows, and the letters of their placeholders.
NUMBERED = {"database": "d", "zone": "z", "record": "r"}
USERS_PER_BATCH = 1_000


def hex_of(text):
    """Returns a text as PostgreSQL shows it in a column of the type BYTEA, without the first characters."""
    return text.encode().hex()


def user_name(number):
    """Returns the user record name of a copy: `_` and 32 hex digits, like the names that the server computes."""
    return "_" + hashlib.md5(b"bench user %d" % number).hexdigest()


def email(number):
    return f"copy{number}@example.org"


def quoted(columns):
    return ", ".join(f'"{column}"' for column in columns)


@dataclasses.dataclass
class Table:
    """A table, and the rows of the first user with placeholders."""

    name: str
    columns: list
    # The rows as the text format of COPY, with placeholders of `bytes % dictionary`.
    template: bytes


@dataclasses.dataclass
class Numbers:
    """The row numbers of the first user, in ascending order, and the first numbers that copies use."""

    database: list
    zone: list
    record: list
    first: dict

    def placeholder(self, column, value):
        return f"%({NUMBERED[column]}{getattr(self, column).index(int(value))})d"

    def values(self, copy):
        """Returns the values of the placeholders for a copy. Copies count from 0."""
        found = {}
        for column, letter in NUMBERED.items():
            numbers = getattr(self, column)
            start = self.first[column] + copy * len(numbers)
            for index in range(len(numbers)):
                found[f"{letter}{index}".encode()] = start + index
        return found


def template(rows, columns, numbers, texts, keeps=()):
    """Returns rows in COPY's text format as a template.

    `texts` are hex texts with the placeholders that replace them. `keeps` are numbered columns that do not change.
    """
    lines = []
    for row in rows:
        fields = []
        for column, field in zip(columns, row.split("\t")):
            if column in NUMBERED and column not in keeps:
                fields.append(numbers.placeholder(column, field))
                continue
            field = field.replace("%", "%%")
            for text, placeholder in texts.items():
                field = field.replace(text, placeholder)
            fields.append(field)
        lines.append("\t".join(fields) + "\n")
    return "".join(lines).encode()


class Loading:
    """The copies of one user in a database. The nodes must not run."""

    def __init__(self, cluster, database, address):
        self.cluster, self.database, self.address = cluster, database, address
        found = cluster.json(
            f"SELECT encode(account, 'hex') AS account, encode(name, 'hex') AS name FROM stratus.users"
            f" WHERE account = (SELECT id FROM stratus.accounts WHERE email = '{address}'::BYTEA)", database)
        if len(found) != 1:
            fail(f"the account {address} is not there once")
        self.account, self.user = found[0]["account"], found[0]["name"]
        number = cluster.value("SELECT number FROM stratus.store_schemas WHERE environment = 'development'", database)
        self.schema = f"stratus_{number}"
        self.numbers = self.find_numbers()
        self.tables = self.find_tables()
        self.count = 0

    def query(self, text):
        return self.cluster.value(text, self.database)

    def integers(self, text):
        return [int(line) for line in self.query(text).splitlines()]

    def find_numbers(self):
        """Finds the numbers of the first user's rows, and the first numbers that are free."""
        schema = self.schema
        databases = self.integers(
            f"SELECT database FROM {schema}.databases WHERE encode(owner, 'hex') = '{self.user}' ORDER BY 1")
        self.mine = f"database IN ({', '.join(map(str, databases))})"
        zones = self.integers(f"SELECT zone FROM {schema}.zones WHERE {self.mine} ORDER BY 1")
        self.public = self.integers(f"SELECT database FROM {schema}.databases WHERE scope = 0")[0]
        self.public_record = f"database = {self.public} AND encode(name, 'hex') = '{self.user}'"
        records = self.integers(
            f"SELECT record FROM {schema}.records WHERE {self.mine} OR ({self.public_record}) ORDER BY 1")
        first = {
            "database": self.integers(f"SELECT MAX(database) + 1 FROM {schema}.databases")[0],
            "zone": self.integers(f"SELECT MAX(zone) + 1 FROM {schema}.zones")[0],
            # NB: the sequence counts blocks of record numbers. Its last value is the first number of a block.
            "record": self.integers(f"SELECT last_value + 1000 FROM {schema}.record_numbers")[0]}
        if not databases or not zones or not records:
            fail("the first user has no rows")
        return Numbers(databases, zones, records, first)

    def columns(self, schema, table):
        return self.query(
            f"SELECT column_name FROM information_schema.columns WHERE table_schema = '{schema}'"
            f" AND table_name = '{table}' ORDER BY ordinal_position").splitlines()

    def rows(self, schema, table, columns, condition):
        return self.query(
            f"COPY (SELECT {quoted(columns)} FROM {schema}.{table} WHERE {condition}) TO STDOUT").splitlines()

    def find_tables(self):
        """Returns the tables with rows of the first user, as templates."""
        texts = {self.user: "%(user)s", self.account: "%(account)s"}
        names = self.query(
            f"SELECT table_name FROM information_schema.columns WHERE table_schema = '{self.schema}'"
            " AND column_name = 'database' ORDER BY table_name").splitlines()
        tables = []
        for name in names:
            columns = self.columns(self.schema, name)
            if rows := self.rows(self.schema, name, columns, self.mine):
                tables.append(Table(f"{self.schema}.{name}", columns,
                                    template(rows, columns, self.numbers, texts)))
        columns = self.columns(self.schema, "records")
        # The user's record in the public database. It is one of many records in one zone.
        rows = self.rows(self.schema, "records", columns, self.public_record)
        if len(rows) != 1:
            fail("the first user has no public user record")
        place = columns.index("change")
        fields = template(rows, columns, self.numbers, texts, ("database", "zone")).decode().split("\t")
        self.public_zone = int(fields[columns.index("zone")])
        fields[place] = "%(change)d"
        tables.append(Table(f"{self.schema}.records", columns, "\t".join(fields).encode()))
        self.public_change = self.integers(
            f"SELECT change FROM {self.schema}.zones WHERE zone = {self.public_zone}")[0]
        texts[hex_of(self.address)] = "%(email)s"
        for name, key in (("accounts", "id"), ("users", "account")):
            columns = self.columns("stratus", name)
            rows = self.rows("stratus", name, columns, f"encode({key}, 'hex') = '{self.account}'")
            tables.append(Table(f"stratus.{name}", columns, template(rows, columns, self.numbers, texts)))
        return tables

    def values(self, copy):
        """Returns the values of all placeholders of a copy. The numbers of the names count from 1."""
        number = copy + 1
        return self.numbers.values(copy) | {
            b"user": hex_of(user_name(number)).encode(), b"email": hex_of(email(number)).encode(),
            # An account's ID is a text of the same length as that of the first user.
            b"account": hex_of(hashlib.sha512(b"bench account %d" % number).hexdigest()[:len(self.account) // 2])
            .encode(),
            b"change": self.public_change + number}

    def load(self, users, seconds=None, announce=lambda _: None):
        """Adds copies until there are this number of users, or until the time is over. Returns the seconds used."""
        begin = time.monotonic()
        # Autovacuum would work on tables that are still growing.
        self.cluster.reload({"autovacuum": "off"})
        psql = subprocess.Popen(self.cluster.psql(self.database) + ["-f", "-"], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            self.send(psql.stdin, users, None if seconds is None else begin + seconds, announce)
            psql.stdin.close()
        except BrokenPipeError:
            pass
        except BaseException:
            psql.kill()
            raise
        if psql.wait() != 0:
            fail(f"COPY fails: {psql.stderr.read()[-2000:]!r}")
        psql.stderr.close()
        announce("size: VACUUM and ANALYZE")
        self.finish()
        self.cluster.reload({"autovacuum": "on"})
        return time.monotonic() - begin

    def send(self, output, users, end, announce):
        """Writes the copies until there are this number of users, or until the time is over."""
        # The copies are worthless after a crash anyway, so no commit waits for the disk.
        output.write(b"SET synchronous_commit = off;\n")
        told = time.monotonic()
        while self.count < users and (end is None or time.monotonic() < end):
            last = min(users, self.count + USERS_PER_BATCH)
            self.write(output, range(self.count, last))
            self.count = last
            if time.monotonic() - told > 15:
                told = time.monotonic()
                announce(f"size: {self.count} users loaded")

    def write(self, output, copies):
        values = [self.values(copy) for copy in copies]
        output.write(b"BEGIN;\n")
        for table in self.tables:
            output.write(f"COPY {table.name} ({quoted(table.columns)}) FROM STDIN;\n".encode())
            output.writelines(table.template % each for each in values)
            output.write(b"\\.\n")
        output.write(b"COMMIT;\n")

    def finish(self):
        """Makes the counters of the server continue after the copies, and collects the planner's statistics."""
        schema, numbers, count = self.schema, self.numbers, self.count
        last = {column: numbers.first[column] + count * len(getattr(numbers, column)) for column in NUMBERED}
        self.cluster.run(
            f"SELECT setval(pg_get_serial_sequence('{schema}.databases', 'database'), {last['database']})",
            f"SELECT setval(pg_get_serial_sequence('{schema}.zones', 'zone'), {last['zone']})",
            f"SELECT setval('{schema}.record_numbers', {last['record'] + 1000})",
            f"UPDATE {schema}.zones SET change = {self.public_change + count} WHERE zone = {self.public_zone}",
            # NB: the planner needs statistics, and autovacuum would otherwise begin during the measurements.
            "VACUUM (ANALYZE)", "CHECKPOINT", database=self.database)
