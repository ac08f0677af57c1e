/// The tables of shared zones and hierarchies, added with layout 8.
enum SharingTables {
  /// A row of `joined_shares` is a share that a user has joined. Its `database` is the user's
  /// shared database, and an empty `root` means that the whole zone is shared. `joined` is a number
  /// from the counter of the shared database, and `since` is a number from the counter of the zone.
  ///
  /// A row of `shared_roots` is a record whose hierarchy is shared.
  ///
  /// A row of `share_links` is the ID in the URL of a share. An empty `root` means that the whole
  /// zone is shared. `name` is the name of the share record. It is null while the root or zone is
  /// not shared.
  ///
  /// A row of `passages` is the newest event of a record in the hierarchy of a root. With `kind` 1,
  /// the record is in the hierarchy. With `kind` 2, the record left the hierarchy. `change` is a
  /// number from the counter of the zone. A record is in at most one hierarchy.
  ///
  /// A row of `unfinished_hierarchies` is a record whose children may still be in the record's
  /// earlier hierarchy.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE joined_shares (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      root \(dialect.text) NOT NULL,
      permission BIGINT NOT NULL,
      administers BIGINT NOT NULL,
      joined BIGINT NOT NULL,
      since BIGINT NOT NULL,
      PRIMARY KEY (database, zone, root))\(dialect.keyedTable);
    CREATE INDEX joined_shares_participants ON joined_shares (zone, root, database);

    CREATE TABLE shared_roots (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      PRIMARY KEY (database, zone, name))\(dialect.keyedTable);

    CREATE TABLE share_links (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      root \(dialect.text) NOT NULL,
      guid \(dialect.text) NOT NULL,
      name \(dialect.text),
      PRIMARY KEY (database, zone, root))\(dialect.keyedTable);
    CREATE UNIQUE INDEX share_links_guid ON share_links (guid);
    CREATE INDEX share_links_shared ON share_links (database) WHERE name IS NOT NULL;

    CREATE TABLE passages (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      root \(dialect.text) NOT NULL,
      name \(dialect.text) NOT NULL,
      type \(dialect.text) NOT NULL,
      change BIGINT NOT NULL,
      kind BIGINT NOT NULL,
      made_at BIGINT NOT NULL,
      PRIMARY KEY (database, zone, root, name))\(dialect.keyedTable);
    CREATE UNIQUE INDEX passages_changed ON passages (database, zone, root, change);
    CREATE UNIQUE INDEX passages_current ON passages (database, zone, name) WHERE kind = 1;
    CREATE INDEX passages_forgettable ON passages (made_at) WHERE kind = 2;

    CREATE TABLE unfinished_hierarchies (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      name \(dialect.text) NOT NULL,
      place \(dialect.text),
      PRIMARY KEY (database, zone, name))\(dialect.keyedTable);
    """
  }
}
