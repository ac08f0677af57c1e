import ArgumentParser
import StratusWire

/// `create-subscription`.
struct CreateSubscriptionVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create-subscription",
    abstract: "Create or replace a subscription. Apple's tool has no such verb.")

  @OptionGroup var database: CloudKitToolDatabase

  @Option(
    help: """
      The subscription as JSON, in the form of CloudKit Web Services, for example \
      '{"subscriptionID": "all", "subscriptionType": "database"}'.
      """)
  var subscriptionJSON: String

  func run() async throws {
    let subscription: Subscription
    do throws(WireError) {
      subscription = try Subscription(json: try JSONView(parsing: Array(subscriptionJSON.utf8)))
    } catch {
      throw Failure("--subscription-json is not a subscription: \(error.reason)")
    }
    try await database.modifySubscription(.save(subscription))
  }
}

/// `delete-subscription`.
struct DeleteSubscriptionVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-subscription",
    abstract: "Delete a subscription. Apple's tool has no such verb.")

  @OptionGroup var database: CloudKitToolDatabase

  @Option(help: "The subscription's ID.")
  var subscriptionID: String

  @Flag(name: [.short, .long], help: "Delete without confirmation.")
  var yes = false

  func run() async throws {
    try confirm("Delete the subscription '\(subscriptionID)'?", isAnswered: yes)
    try await database.modifySubscription(.delete(id: subscriptionID))
  }
}

extension CloudKitToolDatabase {
  /// - Throws: ``Failure``.
  fileprivate func modifySubscription(_ operation: ModifySubscriptions.Operation) async throws {
    let response = try await send(
      ModifySubscriptions.self, .init(operations: [operation]), isIdempotent: false)
    if case .failure(_, let error) = response.subscriptions.first {
      throw Failure("\(error.code.rawValue): \(error.reason)")
    }
  }
}
