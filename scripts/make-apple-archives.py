#!/usr/bin/env python3
"""Writes Tests/StratusKitTests/Archives/AppleArchives.swift.

The archives are made by hand, with the names of classes and keys that Apple's CloudKit uses,
because Foundation on Linux cannot write them.
"""
import base64
import plistlib
import sys
import textwrap
from plistlib import UID


class Archive:
    def __init__(self):
        self.objects = ["$null"]
        self.classes = {}

    def add(self, value):
        if value is None:
            return UID(0)
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def type(self, *names):
        if names not in self.classes:
            self.classes[names] = self.add({"$classname": names[0], "$classes": list(names)})
        return self.classes[names]

    def object(self, names, **members):
        own = {key.replace("__", "."): value for key, value in members.items()}
        own["$class"] = self.type(*names, "NSObject")
        return self.add(own)

    def date(self, seconds):
        return self.object(["NSDate"], NS__time=float(seconds))

    def array(self, items):
        return self.object(["NSArray"], NS__objects=items)

    def set(self, items):
        return self.object(["NSMutableSet", "NSSet"], NS__objects=items)

    def dictionary(self, pairs):
        keys = [self.add(key) for key in pairs]
        return self.object(["NSMutableDictionary", "NSDictionary"], NS__keys=keys,
                           NS__objects=list(pairs.values()))

    def zone_id(self, name, owner):
        return self.object(["CKRecordZoneID"], ZoneName=self.add(name), ownerName=self.add(owner),
                           anonymousCKUserID=UID(0), databaseScopeKey=0)

    def record_id(self, name, zone):
        return self.object(["CKRecordID"], RecordName=self.add(name), ZoneID=zone)

    def system_fields(self):
        zone = self.zone_id("Notes", "__defaultOwner__")
        default = self.zone_id("_defaultZone", "__defaultOwner__")
        user = self.record_id("__defaultOwner__", default)
        parent = self.object(["CKReference"], RecordID=self.record_id("folder", zone),
                             ReferenceAction=0)
        fields = dict(
            RecordType=self.add("Note"), RecordID=self.record_id("note-1", zone),
            ETag=self.add("k1x9"), RecordCtime=self.date(600000000),
            RecordMtime=self.date(600000060.5), CreatorUserRecordID=user,
            LastModifiedUserRecordID=user, ModifiedByDevice=self.add("Someone's Mac"),
            ParentReference=parent, HasUpdatedParentReference=False,
            HasUpdatedShareReference=False, KnownToServer=True, Permission=0,
            UseLightweightPCS=False, WantsChainPCSKey=False, WantsPublicSharingKey=False,
            WasCached=False)
        for key in ("BaseToken ChainParentPublicKeyID ChainPrivateKey ChainProtectionData "
                    "ConflictLoserEtags MutableEncryptedPublicSharingKey PCSKeyID PluginFields "
                    "PreviousParentReference PreviousProtectionDataEtag PreviousShareReference "
                    "ProtectionData ProtectionDataEtag RoutingKey ShareEtag ShareReference "
                    "TombstonedPublicKeyIDs URL ZoneProtectionDataEtag ZoneishKeyID").split():
            fields[key] = UID(0)
        return fields

    def store(self, name, values, originals, changed):
        return self.object([name], RecordValues=self.dictionary(values),
                           OriginalValues=self.dictionary(originals),
                           ChangedKeys=self.set([self.add(key) for key in changed]))

    def text(self, top):
        plist = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": top,
                 "$objects": self.objects}
        data = plistlib.dumps(plist, fmt=plistlib.FMT_BINARY, sort_keys=False)
        return base64.b64encode(data).decode()


def whole_record():
    archive = Archive()
    fields = archive.system_fields()
    zone = archive.zone_id("Notes", "__defaultOwner__")
    author = archive.object(["CKReference"], RecordID=archive.record_id("author-1", zone),
                            ReferenceAction=1)
    asset = archive.object(["CKAsset"], AssetFileURL=UID(0), AssetSize=12, AssetUploaded=True,
                           AssetUUID=archive.add("0A"), AssetSignature=archive.add(b"\x01\x02"))
    values = {
        "title": archive.add("Groceries"), "count": archive.add(7), "weight": archive.add(2.5),
        "due": archive.date(600000120), "blob": archive.add(b"\x00\xff"),
        "tags": archive.array([archive.add("a"), archive.add("b")]), "author": author,
        "photo": asset}
    originals = {"title": archive.add("Old title")}
    fields["ValueStore"] = archive.store("CKRecordValueStore", values, originals, ["title"])
    fields["EncryptedValueStore"] = archive.store("CKEncryptedRecordValueStore", {}, {}, [])
    return archive.text({"root": archive.object(["CKRecord"], **fields)})


def system_fields():
    archive = Archive()
    fields = archive.system_fields()
    fields["ValueStore"] = archive.store("CKRecordValueStore", {}, {}, [])
    fields["EncryptedValueStore"] = archive.store("CKEncryptedRecordValueStore", {}, {}, [])
    return archive.text(fields)


def token():
    archive = Archive()
    data = archive.add(b"\x08\x01\x10\xff\xfe\x00")
    return archive.text({"root": archive.object(["CKServerChangeToken"], ChangeTokenData=data)})


def record_id():
    archive = Archive()
    zone = archive.zone_id("Notes", "_0123456789abcdef0123456789abcdef")
    return archive.text({"root": archive.record_id("note-1", zone)})


def share():
    archive = Archive()
    fields = archive.system_fields()
    zone = archive.zone_id("Notes", "__defaultOwner__")
    default = archive.zone_id("_defaultZone", "__defaultOwner__")

    def participant(number, role, permission, user, email):
        lookup = archive.object(
            ["CKUserIdentityLookupInfo"], EmailAddress=archive.add(email), PhoneNumber=UID(0),
            RecordID=UID(0), ReportsMissing=False)
        identity = archive.object(
            ["CKUserIdentity"], ContactIdentifiers=archive.array([]), HasICloudAccount=True,
            IsCached=False, LookupInfo=lookup, UserRecordID=archive.record_id(user, default),
            NameComponents=archive.object(
                ["NSPersonNameComponents"], NS__givenName=archive.add(user.strip("_"))))
        return archive.object(
            ["CKShareParticipant"], ParticipantID=archive.add(f"P-{number}"), Type=role,
            Permission=permission, AcceptanceStatus=2, OriginalParticipantType=role,
            OriginalPermission=permission, OriginalAcceptanceStatus=2, CreatedInProcess=False,
            AcceptedInProcess=False, IsCurrentUser=number == 1, UserIdentity=identity,
            InvitationToken=UID(0))

    participants = [participant(1, 1, 3, "__defaultOwner__", "owner@example.org"),
                    participant(2, 3, 3, "_guest", "guest@example.org")]
    url = archive.object(
        ["NSURL"], NS__base=UID(0),
        NS__relative=archive.add("https://www.icloud.com/share/0NEa3AEPXwK71VM4gHFnvh2kw#Trip"))
    fields.update(
        RecordType=archive.add("cloudkit.share"), RecordID=archive.record_id("Share-A", zone),
        ParentReference=UID(0), Participants=archive.array(participants),
        LastFetchedParticipants=archive.array(participants), PublicPermission=2, URL=url,
        RoutingKey=archive.add("0NE"), DisplayedHostname=archive.add("www.icloud.com"),
        AddedParticipantIDs=archive.set([]), RemovedParticipantIDs=archive.set([]),
        ContainerID=archive.object(
            ["CKContainerID"], ContainerIdentifier=archive.add("iCloud.org.example.App"),
            Environment=1))
    values = {"cloudkit.title": archive.add("Trip")}
    fields["ValueStore"] = archive.store("CKRecordValueStore", values, {}, [])
    fields["EncryptedValueStore"] = archive.store("CKEncryptedRecordValueStore", {}, {}, [])
    return archive.text({"root": archive.object(["CKShare"], **fields)})


ARCHIVES = {"record": whole_record, "systemFields": system_fields, "token": token,
            "recordID": record_id, "share": share}


def main():
    lines = ["/// Base64 archives in Apple's layout. `scripts/make-apple-archives.py` generates them.",
             "enum AppleArchives {"]
    for name, make in ARCHIVES.items():
        lines.append(f"  static let {name} = \"\"\"")
        lines += ["    " + line + "\\" for line in textwrap.wrap(make(), 94)]
        lines[-1] = lines[-1].rstrip("\\")
        lines += ["    \"\"\"", ""]
    lines[-1] = "}"
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(lines) + "\n")


main()
