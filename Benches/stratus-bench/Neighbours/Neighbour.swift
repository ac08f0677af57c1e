import ArgumentParser

/// A load of requests or connections that one caller is allowed to make, although they cause much
/// work.
enum Neighbour: String, CaseIterable, ExpressibleByArgument {
  case words, inLists = "in-lists", distance, texts, lists, indexes, subscriptions, zones
  case megabytes, pulls, slowReaders = "slow-readers", halfSent = "half-sent", connections
  case wrongTokens = "wrong-tokens", wrongTokensLarge = "wrong-tokens-4mb", unparsable
  case uploads, cutUploads = "cut-uploads", downloads, anonymous, modify = "modify-200", cascades
  case pipelined, streams, polls, notifications
  /// Loads for comparison. They send no requests, but use all processor time of one core: `spin` at
  /// the low priority of the other loads, and `spinFairly` at the server's priority.
  case spin, spinFairly = "spin-fairly"

  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  var title: String {
    switch self {
    case .words: "queries for 100 words in 64 kB of text, 8 connections"
    case .inLists: "queries with IN of 2,000, 8 connections"
    case .distance: "queries in the order of distance, 8 connections"
    case .texts: "saves of a text of 10,000 words, 8 connections"
    case .lists: "saves of three lists of 6,600 values, 8 connections"
    case .indexes: "queries that each need a new index, 4 connections"
    case .subscriptions: "200 subscriptions made and deleted, 4 connections"
    case .zones: "100 zones made and deleted, 4 connections"
    case .megabytes: "lookups of one 1 MB record 400 times, 8 connections"
    case .pulls: "reads of all changes of a zone with 20,000 records, 8 connections"
    case .slowReaders: "16 MB answers read at 100 kB/s, 64 connections"
    case .halfSent: "unfinished requests, 500 connections, 500 new ones a second"
    case .connections: "2,000 idle connections, 500 new ones a second"
    case .wrongTokens: "requests with wrong tokens, 8 connections"
    case .wrongTokensLarge: "requests of 4 MB with wrong tokens, 8 connections"
    case .unparsable: "requests of 4 MB that are not JSON, 8 connections"
    case .uploads: "uploads of 8 MB, 8 connections"
    case .cutUploads: "uploads cut short after 1 MB, 8 connections"
    case .downloads: "downloads of 8 MB, 8 connections"
    case .anonymous: "anonymous queries, 8 connections"
    case .modify: "modify-200, 8 connections"
    case .cascades: "chains of 200 records, deleted by their first, 4 connections"
    case .pipelined: "64 lookups sent at once, 8 connections"
    case .streams: "streams opened and closed, 8 connections"
    case .polls: "polls opened and closed, 8 connections"
    case .notifications: "saves that cause events on 100 streams, 4 connections"
    case .spin: "floor: one core kept busy at the priority of the loads"
    case .spinFairly: "floor: one core kept busy at the priority of the server"
    }
  }

  /// Whether the load is only for comparison, because it uses the machine and not the server.
  var isFloor: Bool { self == .spin || self == .spinFairly }

  /// The number of threads of the load.
  var lanes: Int {
    switch self {
    case .slowReaders, .halfSent, .connections, .spin, .spinFairly: 1
    case .indexes, .subscriptions, .zones, .cascades, .notifications: 4
    case .words, .inLists, .distance, .texts, .lists, .megabytes, .pulls, .wrongTokens,
      .wrongTokensLarge, .unparsable, .uploads, .cutUploads, .downloads, .anonymous, .modify,
      .pipelined, .streams, .polls:
      8
    }
  }
}
