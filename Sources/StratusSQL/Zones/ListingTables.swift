/// The table of histories, added with layout 5.
enum ListingTables {
  /// A listing is a zone's position in the history of a database. The database is the owner's or
  /// the shared database of a participant. Listings are narrow rows of their own, because every
  /// save moves one.
  ///
  /// `listed` is a number from the database's counter. `seen` is the newest change of another
  /// user's zone at the time of the listing. `participation` is 0 in the owner's database.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE listings (
      database BIGINT NOT NULL,
      zone BIGINT NOT NULL,
      listed BIGINT NOT NULL,
      seen BIGINT NOT NULL,
      participation BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      deletion_reason BIGINT NOT NULL,
      deleted_at BIGINT,
      PRIMARY KEY (database, zone))\(dialect.keyedTable);
    CREATE INDEX listings_listed ON listings (database, listed);
    CREATE INDEX listings_forgettable ON listings (deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX listings_shared ON listings (zone) WHERE participation <> 0;
    """
  }

  /// Whether no history lists the zone of a row of `zones`.
  ///
  /// NB: `participation <> 0` repeats the condition of the index `listings_shared`.
  static let isUnlisted = """
    NOT EXISTS (
      SELECT 1 FROM listings WHERE listings.database = zones.database
        AND listings.zone = zones.zone)
      AND NOT EXISTS (
        SELECT 1 FROM listings WHERE listings.zone = zones.zone AND participation <> 0)
    """
}
