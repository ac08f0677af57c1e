import Foundation
import Testing

@testable import StratusDomain
@testable import StratusHTTP
@testable import StratusWire

/// Damages texts of clients. A parser must either refuse a text, or read the same value again from
/// the text that the server writes for the value.
@Suite struct `Damaged texts` {
  private static let special = ["&", "=", "%", "+", ";", " ", "%C3%A4", "%00", "é", "\"", "\u{0}"]

  @Test func `a damaged form is refused, or its fields can be encoded and read again unchanged`() {
    let samples = ["email=a%40b.org&password=x+y%26%C3%A4&next=", "a=1&a=2&b", "=&&=x"]
    Fuzz.run(samples, pieces: Self.special) { bytes, comment in
      guard let fields = FormText.fields(bytes) else { return }
      #expect(fields.count <= 50, comment)
      func encoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      let again = fields.map { "\(encoded($0))=\(encoded($1))" }.joined(separator: "&")
      #expect(FormText.fields(again.utf8) == fields, comment)
    }
  }

  @Test func `a damaged cookie header gives at most fifty cookies, with valid names`() {
    let samples = ["a=1; __Host-stratus=abc; b=x=y", "a=1;a=2;;=;b"]
    Fuzz.run(samples, pieces: Self.special) { bytes, comment in
      let cookies = CookieText.cookies(String(decoding: bytes, as: UTF8.self))
      #expect(cookies.count <= 50, comment)
      for (name, value) in cookies {
        #expect(!name.isEmpty && !name.contains { "=;".contains($0) }, comment)
        #expect(!value.contains(";"), comment)
      }
      let again = cookies.map { "\($0)=\($1)" }.joined(separator: ";")
      #expect(CookieText.cookies(again) == cookies, comment)
    }
  }

  @Test
  func `a damaged request target keeps its bytes, and only management paths are for operators`() {
    let samples = [
      "/database/1/iCloud.a/development/private/records/query?ckWebAuthToken=a%2Bb&ckAPIToken=00",
      "/device/1/iCloud.a/production/tokens/create?clientId=x", "/share/AAAbbb#x", "/push/abc",
      "/assets/upload/abc/name", "/management/1/accounts/list", "//auth//sign-in?request=r",
    ]
    let pieces = Self.special + ["/", "?", "#", "..", "database", "management", "1", "private"]
    Fuzz.run(samples, pieces: pieces) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      let target = RequestTarget(text)
      #expect(target.path + (target.query.map { "?" + $0 } ?? "") == text, comment)
      if case .management? = RequestPath(target.path) {
        #expect(target.path.drop { $0 == "/" }.hasPrefix("management/"), comment)
      }
      let query = RequestQuery(target.query)
      #expect(RequestQuery((target.query ?? "") + "&unknown=1") == query, comment)
    }
  }

  @Test func `a damaged ID of a share counts as plausible only if it has the form of an ID`() {
    let samples = ["0NEa3AEPXwK71VM4gHFnvh2kw", "0NEa3AEPXwK71VM4gHFnvh2kwAEPXwK71VM4gHFnvh2kwAA"]
    Fuzz.run(samples, pieces: Self.special + ["/", "-", "_"]) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      guard ShareGUID.isPlausible(text) else { return }
      #expect(text.wholeMatch(of: /[A-Za-z0-9_-]{8,255}/) != nil, comment)
      if let share = ShareGUID.share(inOneTime: text) {
        #expect(text.hasPrefix(share) && text.utf8.count == share.utf8.count + 22, comment)
      }
    }
  }

  @Test func `a damaged schema file has faults, or its export describes the same schema`() {
    let sample = """
      DEFINE SCHEMA
        CREATE ROLE Editor;
        RECORD TYPE Users ( roles LIST<INT64>, GRANT WRITE TO "_creator", GRANT READ TO "_world" );
        RECORD TYPE Note (
          "___recordID" REFERENCE QUERYABLE,
          title STRING QUERYABLE SORTABLE SEARCHABLE, mood ENCRYPTED INT64, // a remark
          place LOCATION QUERYABLE, n NUMBER PREFERRED AS INT64, parts LIST<REFERENCE>,
          GRANT READ, CREATE, WRITE TO Editor, GRANT READ TO "_world" );
      """
    let pieces = [
      "RECORD TYPE", "CREATE ROLE", "GRANT", "TO", "LIST<", ">", "(", ")", ",", ";", "\"", "\"_x\"",
      "STRING", "ENCRYPTED", "BYTES", "ASSET", "QUERYABLE", "PREFERRED AS", "--", "/*", "*/", "//",
      "___etag", "Users", "é", "\u{0}",
    ]
    var readable = 0
    Fuzz.run([sample], pieces: pieces) { bytes, comment in
      switch ParsedSchema.read(String(decoding: bytes, as: UTF8.self)) {
      case .faulty(let faults):
        #expect((1...Limits.schemaFaultsMax).contains(faults.count), comment)
      case .schema(let schema):
        readable += 1
        guard case .schema(let again) = ParsedSchema.read(schema.text) else {
          Issue.record("\(comment): the export is faulty: \(schema.text)")
          return
        }
        #expect(again.text == schema.text, comment)
      }
    }
    #expect(readable > Fuzz.rounds / 50)
  }

  @Test func `a damaged query is refused, or its JSON describes the same query`() {
    let samples = [
      #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"n","#
        + #""fieldValue":{"value":1,"type":"INT64"}}],"sortBy":[{"fieldName":"t","#
        + #""ascending":false}]},"resultsLimit":5,"desiredKeys":["t"]}"#,
      #"{"zoneWide":true,"query":{"recordType":"A","filterBy":[{"comparator":"NEAR","fieldName":"#
        + #""p","fieldValue":{"value":{"latitude":1.5,"longitude":-2e1}},"distance":10}]},"#
        + #""continuationMarker":"AA==","zoneID":{"zoneName":"Z","ownerRecordName":"_o"}}"#,
    ]
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "null", "true", "1e999",
      "-0", "9223372036854775808", "\"IN\"", "\"LIST_CONTAINS\"", "{\"value\":[]}", "é", "\u{0}",
    ]
    var readable = 0
    Fuzz.run(samples, pieces: pieces) { bytes, comment in
      do throws(WireError) {
        let request = try QueryRecords.Request(jsonBytes: bytes)
        readable += 1
        let text = request.jsonBytes
        do throws(WireError) {
          #expect(try QueryRecords.Request(jsonBytes: text).jsonBytes == text, comment)
        } catch {
          Issue.record("\(comment): the JSON is refused: \(error)")
        }
      } catch {}
    }
    #expect(readable > Fuzz.rounds / 50)
  }
}
