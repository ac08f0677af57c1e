/// Words that many people use as a password, alone, in pairs, or between digits and punctuation.
///
/// The list was written for this project. ``PasswordRules`` also refuses these words in pairs and
/// with digits or punctuation, so the rules refuse many more passwords than the list contains.
enum GuessedPasswords {
  /// The words that name the product, its parts and the people around it. Passwords of this server
  /// are guessed with them first (OWASP ASVS 6.1.2).
  static let productWords = [
    "stratus", "cloudkit", "icloud", "cloud", "server", "console", "container", "database",
    "record", "backup", "sync", "admin", "administrator", "operator", "developer", "account",
    "passkey",
  ]

  static let words: Set<String> = Set(productWords).union(
    """
    password passwort passwd pass parola senha motdepasse contrasena wachtwoord salasana haslo
    secret geheim letmein welcome willkommen bienvenue admin administrator root user login access
    master superuser guest test testing tester temp changeme default system server manager
    qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm yxcvbnm qazwsx qazwsxedc
    iloveyou ilove you love lovely loveme iloveme mylove baby babygirl babyboy sweetie honey darling
    angel angels princess prince queen king sunshine sunflower rainbow butterfly flower rose daisy
    monkey dragon tiger lion eagle panther wolf bear falcon dolphin kitty kitten puppy doggy horse
    football soccer baseball basketball hockey tennis golf runner racing rugby cricket volleyball
    superman batman spiderman ironman pokemon pikachu naruto starwars yoda matrix hunter killer
    shadow ghost ninja samurai warrior knight soldier ranger hacker cracker pirate wizard magic
    michael michelle jessica jennifer jordan ashley daniel andrew joshua matthew robert thomas
    charlie maggie buster bailey ginger pepper cookie chocolate cheese banana orange apple cherry
    peanut pumpkin coffee whiskey summer winter spring autumn january february march april june july
    august september october november december monday tuesday wednesday thursday friday saturday
    sunday freedom liberty america canada london paris berlin moscow india brasil mexico chicago
    boston dallas texas liverpool arsenal chelsea barcelona madrid juventus yankees steelers cowboys
    lakers eagles packers raiders patriots mercedes ferrari porsche toyota honda yamaha harley
    computer internet google facebook instagram twitter microsoft windows linux ubuntu android apple
    iphone samsung nokia amazon netflix youtube cloud cloudkit icloud stratus database backup
    money dollar bitcoin million lucky success forever family friend friends mother father daddy
    mommy mama papa sister brother jesus christ church heaven god blessed faith hope grace trinity
    peace hello hola bonjour hallo ciao whatever nothing something anything everything please thanks
    fuckyou fuck asshole bitch sexy hottie cutie pussy
    abc abcd abcde abcdef abcdefg abcdefgh one two three hundred zero
    trustno correcthorse correcthorsebatterystaple company business office work home house garden
    music guitar piano drummer dancer metallica nirvana slipknot eminem beatles blink
    blue red green black white yellow purple silver golden gold diamond crystal
    samantha alexander alexandra victoria danielle stephanie elizabeth christina christian benjamin
    jonathan nicholas patrick anthony william brandon richard jasmine natalie vanessa veronica
    caroline patricia sebastian isabella gabriel francesco alejandro fernando cristina margaret
    elephant scorpion dolphins panthers redskins broncos rangers celtics bulldogs gators wildcat
    wildcats tigers lions hornet hornets cowboy corvette mustang camaro firebird chevrolet chevy
    marlboro budweiser heineken jackdaniels snickers twilight midnight darkness lightning thunder
    blizzard hurricane tornado explorer voyager enterprise startrek spitfire predator terminator
    gladiator spartan titanic godzilla scoobydoo spongebob garfield mickey mickeymouse snoopy
    swordfish bigdaddy bigboy babyface buttercup cupcake cutiepie sweetheart sweetpea sweetness
    loverboy lovebird beautiful gorgeous precious marshmallow strawberry blueberry blackberry
    pineapple watermelon raspberry pineapples spaghetti hamburger mountain paradise infinity
    destiny serenity harmony wonderful goodluck goodbye remember remembering einstein kawasaki
    suzuki mitsubishi volkswagen lamborghini yankee redsox arsenal1 manchester manutd united rooney
    ronaldo messi beckham jordan23 kobe lebron champion champions winner winners fighter mechanic
    engineer student teacher doctor scooter scooby tinkerbell tigger piglet bubbles sparky lucky
    hello1 helloworld qwerty1 iloveu iloveyou2 fuckoff asdfasdf qweasd qweasdzxc asdzxc adgjmptw
    access14 letmein1 changeit letmein2 passport passphrase security private secure guest1
    administrador usuario welkom wilkommen contrasenya tequiero teamo amor amore princesa corazon
    estrella mariposa hermosa bonita carlos miguel antonio ricardo roberto eduardo daniela mariana
    valentina schatz schatzi fussball sommer winterzeit hallo123 hallohallo schalke dortmund bayern
    soleil doudou chouchou loulou azertyui marseille nicolas camille natasha vladimir dima sergey
    player gamer gaming minecraft fortnite roblox xbox playstation nintendo zelda mario sonic
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  static let substitutes: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a",
    "$": "s", "!": "i", "|": "l", "+": "t",
  ]

  /// The digits that are on the same keys as these signs on an American keyboard.
  static let digits: [Character: Character] = [
    "!": "1", "@": "2", "#": "3", "$": "4", "%": "5", "^": "6", "&": "7", "*": "8", "(": "9",
    ")": "0",
  ]

  private static let keyboards: [[String]] = [
    ["1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"],
    ["1234567890ß", "qwertzuiopü", "asdfghjklöä", "yxcvbnm,.-"],
    ["1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn,;:"],
  ]

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz")

  /// Pairs of characters that are neighbours in the alphabet, or in a row or column of a keyboard.
  static let neighbours: Set<[Character]> = {
    var pairs: Set<[Character]> = [["9", "0"], ["0", "1"]]
    for (first, second) in zip(alphabet, alphabet.dropFirst()) { pairs.insert([first, second]) }
    for keyboard in keyboards.map({ $0.map { Array($0) } }) {
      for row in keyboard {
        for (first, second) in zip(row, row.dropFirst()) { pairs.insert([first, second]) }
      }
      for (upper, lower) in zip(keyboard, keyboard.dropFirst()) {
        for (first, second) in zip(upper, lower) { pairs.insert([first, second]) }
        for (first, second) in zip(upper.dropFirst(), lower) { pairs.insert([first, second]) }
      }
    }
    return pairs.union(pairs.map { $0.reversed() })
  }()
}
