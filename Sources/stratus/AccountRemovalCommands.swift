public import ArgumentParser
import Foundation
public import StratusWire

/// `stratus account delete`.
struct DeleteAccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete an account with all its data, and print the receipt.",
    discussion: """
      The command deletes the account's private databases in all containers, with the shares that \
      the account owns, its sessions and all its ways to sign in. The account leaves the shares of \
      others. If the command or the server is interrupted, the server continues by itself.
      """)

  /// The time between two questions to the server whether a long deletion is complete.
  private static let pause = Duration.seconds(1)

  @OptionGroup var server: ServerOptions

  @Argument(help: "The account's e-mail address.")
  var email: String

  @Flag(help: "Confirm the deletion. Afterwards, only a backup can restore the account.")
  var yes = false

  @Option(
    help: """
      What happens to the public records that the user created: keep leaves them without the \
      user's name, and delete removes them.
      """)
  var publicRecords = PublicRecordsChoice.keep

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    guard yes else {
      throw Failure("this deletes all data of '\(email)'; confirm it with --yes")
    }
    var receipt = try await server.send(
      DeleteAccount.self, .init(email: email, publicRecords: publicRecords))
    while receipt.endedAt == nil {
      try await Task.sleep(for: Self.pause)
      let answer = try await server.send(ListReceipts.self, .init(id: receipt.id))
      receipt = answer.receipts.first ?? receipt
    }
    if json { return say(json: receipt) }
    receipt.show()
  }
}

/// `stratus account receipts`.
struct ReceiptsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipts",
    abstract: "List the receipts of deleted accounts, the newest first.",
    discussion: "The server keeps a receipt as long as entries of the audit log.")

  @OptionGroup var server: ServerOptions

  @Argument(help: "The ID of one receipt.")
  var id: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let answer = try await server.send(ListReceipts.self, .init(id: id))
    if json { return say(json: answer) }
    for receipt in answer.receipts { receipt.show() }
  }
}

extension PublicRecordsChoice: ExpressibleByArgument {}

extension RemovalReceipt {
  /// Prints the receipt: a line about the deletion, and a line for each count.
  fileprivate func show() {
    let end = endedAt.map { "ended \(Self.time($0))" } ?? "in progress"
    say("receipt \(id): account \(accountID), begun \(Self.time(begunAt)), \(end)")
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) { say("  \(kind) \(count)") }
  }

  private static func time(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      .formatted(Date.ISO8601FormatStyle())
  }
}
