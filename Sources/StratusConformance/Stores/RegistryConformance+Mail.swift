import StratusDomain
import StratusWire

/// The checks of mails and of the codes in mails.
extension RegistryConformance {
  private static func mail(
    _ id: String, to recipient: String = "ann@example.org", at time: Int64 = 1
  ) -> WaitingMail {
    WaitingMail(
      id: id, recipient: recipient, subject: "Subject \(id)", sealedText: [0, 255, 7],
      createdAt: time, nextAt: time)
  }

  private static func code(
    _ hash: UInt8, _ purpose: MailCode.Purpose = .reset, endsAt: Int64 = 100
  ) -> MailCode {
    MailCode(
      hash: [hash, 0, 255], purpose: purpose, email: ann.email, browser: [7], endsAt: endsAt)
  }

  static func mailsAreTaken(_ registry: any Registry) async throws {
    for (id, time) in [("a", 30), ("b", 10), ("c", 20)] as [(String, Int64)] {
      try expect(
        try await registry.create(mail(id, at: time), with: nil, within: []), nil)
    }
    try expect(try await registry.takeMails(dueAt: 9, leaseUntil: 50, limit: 5), [])
    var taken = mail("b", at: 10)
    taken.attempts = 1
    try expect(try await registry.takeMails(dueAt: 30, leaseUntil: 50, limit: 1), [taken])
    let others = try await registry.takeMails(dueAt: 30, leaseUntil: 50, limit: 5)
    try expect(others.map(\.id), ["c", "a"])
    try expect(try await registry.takeMails(dueAt: 49, leaseUntil: 99, limit: 5), [])
    try await registry.finish(mailID: "a")
    try await registry.postpone(mailID: "c", until: 40)
    try await registry.postpone(mailID: "a", until: 40)
    let again = try await registry.takeMails(dueAt: 45, leaseUntil: 99, limit: 5)
    try expect(again.map(\.id), ["c"])
    try expect(again.map(\.attempts), [2])
    let lapsed = try await registry.takeMails(dueAt: 50, leaseUntil: 99, limit: 5)
    try expect(lapsed.map(\.id), ["b"])
  }

  static func mailsAreBounded(_ registry: any Registry) async throws {
    let all = MailBound(isForMailbox: false, since: 10, countMax: 3)
    let mailbox = MailBound(isForMailbox: true, since: 10, countMax: 2)
    func create(
      _ id: String, to recipient: String = "ann@example.org", at time: Int64, code: MailCode? = nil
    ) async throws -> MailBound? {
      try await registry.create(
        mail(id, to: recipient, at: time), with: code, within: [all, mailbox])
    }
    try expect(try await create("old", at: 9), nil)
    try expect(try await create("a", at: 10), nil)
    try expect(try await create("b", to: "Ann+1@example.org", at: 11), nil)
    try expect(try await create("c", at: 12, code: code(1)), mailbox)
    try expect(try await registry.mailCode(hash: code(1).hash), nil)
    try expect(try await create("d", to: "bob@example.org", at: 12), nil)
    try expect(try await create("e", to: "cid@example.org", at: 12), all)
    // Notices count only towards limits on notices.
    let notices = MailBound(isForMailbox: true, since: 10, countMax: 1)
    for (id, exceeded) in [("n1", nil), ("n2", notices)] as [(String, MailBound?)] {
      var notice = mail(id, to: "cid@example.org", at: 12)
      notice.kind = .notice
      try expect(
        try await registry.create(notice, with: nil, within: [notices]), exceeded)
    }
    try expect(try await create("e2", to: "cid@example.org", at: 12), all)
    // Invitations count only towards limits on invitations.
    for (id, exceeded) in [("i1", nil), ("i2", notices)] as [(String, MailBound?)] {
      var invitation = mail(id, to: "cid@example.org", at: 11)
      invitation.kind = .shareInvitation
      try expect(
        try await registry.create(invitation, with: nil, within: [notices]), exceeded)
    }
    // A mail that was sent still counts, until it is removed.
    for id in ["a", "b", "d"] { try await registry.finish(mailID: id) }
    try expect(try await create("f", at: 12), all)
    try await registry.deleteMails(createdBefore: 12, codesEndedBefore: 0)
    try expect(try await create("g", at: 12), nil)
    // A waiting mail is not removed.
    let waiting = try await registry.takeMails(dueAt: 99, leaseUntil: 199, limit: 9)
    // Mails that a person waits for come first, then notices, then invitations.
    try expect(waiting.map(\.id), ["old", "g", "n1", "i1"])
    try expect(waiting.map(\.kind), [.requested, .requested, .notice, .shareInvitation])
  }

  static func mailCodesAreKept(_ registry: any Registry) async throws {
    let (first, later, other) = (code(1), code(2), code(3, .signUp, endsAt: 10))
    try await registry.create(first)
    try expect(try await registry.create(mail("a"), with: other, within: []), nil)
    try expect(try await registry.mailCode(hash: first.hash), first)
    try expect(try await registry.mailCode(hash: other.hash), other)
    try await registry.create(later)
    try expect(try await registry.mailCode(hash: first.hash), nil)
    try expect(try await registry.mailCode(hash: later.hash), later)
    // Codes that another browser requested, or that were requested without a browser, stay valid.
    var (stranger, printed) = (code(4), code(5))
    stranger.browser = [8]
    printed.browser = nil
    try await registry.create(stranger)
    try await registry.create(printed)
    for kept in [later, stranger, printed] {
      try expect(try await registry.mailCode(hash: kept.hash), kept)
    }
    var again = code(6)
    again.browser = nil
    try await registry.create(again)
    try expect(try await registry.mailCode(hash: printed.hash), nil)
    try await registry.deleteMails(createdBefore: 0, codesEndedBefore: 11)
    try expect(try await registry.mailCode(hash: other.hash), nil)
    try expect(try await registry.mailCode(hash: later.hash), later)
  }

  static func mailCodesAreRedeemed(_ registry: any Registry) async throws {
    func redeem(_ code: MailCode, id: String = "new", at time: Int64 = 50) async throws -> Account?
    {
      try await registry.redeem(
        codeHash: code.hash, newID: id, passwordHash: "$\(time)$", at: time)
    }
    try await registry.create(code(1))
    try expect(try await redeem(code(1)), nil)
    try await registry.create(code(2, .signUp))
    try expect(try await redeem(code(2, .signUp), at: 101), nil)
    let created = Account(id: "new", email: ann.email, isDisabled: false)
    try expect(try await redeem(code(2, .signUp)), created)
    try expect(try await registry.account(email: ann.email), created)
    try expect(
      try await registry.password(ofAccount: "new"),
      StoredPassword(accountID: "new", hash: "$50$", changedAt: 50))
    try expect(try await redeem(code(2, .signUp)), nil)
    // An account with a password needs a code that permits a new password.
    try await registry.create(code(3, .invitation))
    try expect(try await redeem(code(3, .invitation), id: "other"), nil)
    var session = Self.session
    session.accountID = "new"
    try await registry.create(session)
    try await registry.create(code(4))
    try expect(try await redeem(code(4), at: 60), created)
    try expect(try await registry.session(id: session.id), nil)
    try expect(try await registry.password(ofAccount: "new")?.hash, "$60$")
    // A new password makes all codes of the account's address invalid.
    try await registry.create(code(6))
    let changed = StoredPassword(accountID: "new", hash: "$70$", changedAt: 70)
    _ = try await registry.change(to: changed, from: nil, endsAppSessions: false)
    try expect(try await registry.mailCode(hash: code(6).hash), nil)
    try await registry.create(code(5))
    _ = try await registry.setDisabled(true, accountID: "new")
    try expect(try await redeem(code(5)), nil)
  }

  static func factorsAreKept(_ registry: any Registry) async throws {
    let factor = StoredFactor(accountID: "1", sealedSecret: [0, 255], lastStep: 5, createdAt: 9)
    let password = StoredPassword(accountID: "1", hash: "$a$", changedAt: 1)
    _ = try await registry.change(to: password, from: nil, endsAppSessions: false)
    func set(_ codes: [[UInt8]], _ hash: String = "$a$") async throws -> Bool {
      try await registry.set(
        factor, recoveryCodes: codes, keepingSession: nil, provenBy: hash)
    }
    try expect(try await registry.factor(ofAccount: "1"), nil)
    try expect(try await registry.useStep(9, ofAccount: "1"), false)
    try expect(try await registry.setRecoveryCodes([[1]], ofAccount: "1"), false)
    try expect(try await set([[1], [2]], "$b$"), false)
    try expect(try await registry.factor(ofAccount: "1"), nil)
    try expect(try await set([[1], [2]]), true)
    try expect(try await registry.factor(ofAccount: "1"), factor)
    for (step, isNew) in [(5, false), (6, true), (6, false), (4, false), (8, true)] {
      try expect(try await registry.useStep(Int64(step), ofAccount: "1"), isNew)
    }
    for isThere in [true, false] {
      try expect(try await registry.useRecoveryCode(hash: [1], ofAccount: "1"), isThere)
    }
    try expect(try await registry.useRecoveryCode(hash: [2], ofAccount: "2"), false)
    try expect(try await registry.recoveryCodeCount(ofAccount: "1"), 1)
    try expect(try await registry.setRecoveryCodes([[3], [4], [5]], ofAccount: "1"), true)
    try expect(try await registry.recoveryCodeCount(ofAccount: "1"), 3)
    for isThere in [true, false] {
      try expect(try await registry.deleteFactor(ofAccount: "1"), isThere)
    }
    try expect(try await registry.recoveryCodeCount(ofAccount: "1"), 0)
  }
}
