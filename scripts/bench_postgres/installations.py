"""Databases with many users, of which some are signed in. Their zones have ten records each."""
import json

from .load import Connection
from .loading import Loading, email
from .nodes import Node

ZONE = "Notes"
RECORDS_PER_USER = 10
FIRST = "first@example.org"


class Installation:
    """A database with many users, and its first node."""

    def __init__(self, bench, name, fields, has_second_index=False):
        self.bench, self.name = bench, name
        self.database = f"bench_{name}"
        self.address = bench.cluster.create(self.database)
        self.node = self.start()
        self.api_token = self.node.make_container()
        user = self.node.make_user(FIRST, self.api_token)
        connection = Connection(self.node.port)
        connection.ask(user.make_zone(ZONE))
        names = [f"record-{number}-{'0' * 22}" for number in range(RECORDS_PER_USER)]
        connection.ask(user.save(ZONE, names, fields))
        # The server creates an index for each of these queries.
        connection.ask(user.tasks_of_list(ZONE))
        if has_second_index:
            connection.ask(user.tasks_by_date(ZONE))
        connection.close()
        self.record_name = names[0]
        self.node.stop()
        self.loading = Loading(bench.cluster, self.database, FIRST)

    def start(self):
        self.node = Node(self.bench.program, self.bench.folder, self.name, self.address)
        return self.node

    def bytes(self):
        return int(self.bench.cluster.value(f"SELECT pg_database_size('{self.database}')"))

    def sign_in(self, count, chance):
        """Signs some users in, and returns them with the change tokens of their databases.

        This is the first request of each user, which fills caches.
        """
        users = []
        connection = Connection(self.node.port)
        for number in chance.sample(range(1, self.loading.count + 1), min(count, self.loading.count)):
            user = self.node.sign_in(email(number), self.api_token)
            users.append((user, json.loads(connection.ask(user.database_changes()))["syncToken"]))
        connection.close()
        return users
