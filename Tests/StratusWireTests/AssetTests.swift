import StratusWire
import Testing

/// Files in fields, and the answers of upload URLs.
@Suite struct Assets {
  private static let text =
    #"{"a":{"value":{"fileChecksum":"c","size":3},"type":"ASSETID"},"#
    + #""s":{"value":"ASSETID","type":"STRING"},"#
    + #""l":{"value":[{"fileChecksum":"c","size":3}],"type":"ASSETID_LIST"}}"#

  @Test
  func `replacing the files in fields leaves the other fields unchanged, byte for byte`() throws {
    let fields = try FieldsJSON(text: Array(Self.text.utf8)).replacingAssets { asset in
      var asset = asset
      asset.downloadURL = "u"
      return asset
    }
    let expected = Self.text.replacing(#""size":3"#, with: #""size":3,"downloadURL":"u""#)
    #expect(String(decoding: fields.text, as: UTF8.self) == expected)
  }

  @Test func `all files in the fields of an operation are found`() throws {
    var operation = RecordOperation(.create, recordName: "n")
    #expect(operation.assetChecksums == [])
    let fields =
      #"{"a":{"value":{"fileChecksum":"1","size":3}},"l":{"value":[{"fileChecksum":"2"},"#
      + #"{"fileChecksum":"3"}]},"s":{"value":"fileChecksum"},"n":{},"t":{"value":["x"]},"#
      + #""bad":{"value":{"fileChecksum":4}},"o":null}"#
    operation.fields = try JSONView(parsing: Array(fields.utf8))
    #expect(operation.assetChecksums == ["1", "2", "3"])
  }

  @Test func `the answer to an upload is equal after encoding and decoding`() throws {
    let error = ErrorDictionary(code: .conflict, reason: "r", uuid: "u")
    let answer = UploadAnswer(received: 7, error: error)
    let read = try UploadAnswer(jsonBytes: answer.jsonBytes)
    #expect(read.received == 7 && read.singleFile == nil)
    #expect(read.error?.code == .conflict && read.error?.reason == "r")
    let done = UploadAnswer(singleFile: Asset(fileChecksum: "c", size: 3, receipt: "r"))
    #expect(
      String(decoding: done.jsonBytes, as: UTF8.self)
        == #"{"singleFile":{"fileChecksum":"c","size":3,"receipt":"r"}}"#)
    #expect(try UploadAnswer(jsonBytes: done.jsonBytes).singleFile == done.singleFile)
  }
}
