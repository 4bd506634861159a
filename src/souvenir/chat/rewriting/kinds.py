"""What nouns and names stand for: parts and sides of other things, classes, people and places."""

from souvenir.memory.local_extract.words import word_set

# nouns that are always of something: alone they ask for what went before
RELATIONAL = word_set(
    """
    symptom symptoms cause causes effect effects side-effect side-effects treatment treatments cure cures sign signs
    advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks pro pros con cons risk risks
    danger dangers type types kind kinds sort sorts form forms variety varieties version versions example examples
    history origin origins beginning beginnings background invention inventor inventors discovery discoverer founder
    founders author authors creator creators director directors writer writers theme themes plot plots character
    characters cast ending member members leader leaders role roles purpose purposes function functions use uses
    usage importance significance meaning meanings definition definitions difference differences similarity
    similarities relationship relation connection comparison characteristic characteristics feature features property
    properties trait traits part parts component components element elements layer layers stage stages phase phases
    step steps level levels ingredient ingredients source sources result results outcome outcomes finding findings
    conclusion conclusions implication implications consequence consequences impact impacts influence influences
    criticism criticisms controversy controversies argument arguments debate opinion opinions view views competitor
    competitors alternative alternatives rival rivals successor successors predecessor price prices cost costs value
    worth size height weight length width depth speed age lifespan habitat diet range population capital climate
    economy language languages currency culture religion government landmark landmarks attraction attractions
    requirement requirements rule rules principle principles step method methods technique techniques tactic tactics
    strategy strategies challenge challenges problem problems issue issues limitation limitations solution solutions
    achievement achievements accomplishment accomplishments contribution contributions award awards work works legacy
    family wife husband spouse children child son daughter mother father parents brother sister job career salary
    nationality birthplace birthday name names nickname title genre setting sequel sequels length release reception
    pros-and-cons complication complications prognosis prevention diagnosis dose dosage process structure composition
    content contents basis base goal goals aim aims objective objectives topic topics subject subjects theory theories
    model models application applications trend trends future status state location owner owners manufacturer
    subtype subtypes subspecies category categories class classes nutrient nutrients nutrition taste texture color
    colour colors colours shape appearance design style styles season seasons episode episodes lyrics score date
    duration frequency rate rates chance chances probability odds statistics number numbers amount amounts percentage
    share timeline evolution development growth success failure downside downsides upside upsides con perk perks
    variant variants strain strains breed breeds species member-states supporters opponents victim victims survivors
    participant participants winner winners loser losers candidate candidates policy policies law laws regulation
    regulations restriction restrictions penalty penalties punishment mechanism mechanisms reason reasons trigger
    triggers factor factors lack absence presence series set list collection pair
    concern concerns idea ideas trailer review reviews rating ratings weakness weaknesses strength strengths
    """
)
# of these, those that are something of their own once they are told apart: "the string theory", "civil law"
OFTEN_ALONE = word_set(
    """
    theory theories model models method methods technique techniques law laws policy policies species breed breeds
    language languages religion culture process strategy strategies award awards work works program programs problem
    problems currency economy government family child children son daughter mother father parents brother sister wife
    husband job career season seasons episode class classes diet language capital state rate rates award title topic
    subject disease application applications structure solution style landmark attraction nutrient nutrients
    regulation regulations number numbers character characters director author writer
    """
)
# of these, those that people have
OF_PEOPLE = word_set(
    """
    children child wife husband spouse son daughter mother father parents brother sister family job career salary
    nationality birthplace birthday name names nickname title age height weight work works achievement achievements
    accomplishment accomplishments contribution contributions legacy award awards view views opinion opinions religion
    education role background beginnings history beginning criticism influence influences success failure worth
    """
)
# their second side: "the role of iron in anemia"
SECOND_SIDE = {"role": "in", "roles": "in", "contribution": "to", "contributions": "to", "relevance": "to"}
# what they do to others does not tell whose they are: "the effects on minerals"
OUTWARD = word_set(
    """
    effect effects impact impacts implication implications consequence consequences influence influences benefit
    benefits importance significance use uses usage role roles risk risks advantages disadvantages
    """
)
# nouns that nothing is told about by themselves: what is meant is what follows them
VAGUE = word_set(
    """
    thing things way ways lot lots kind kinds type types sort sorts number amount fact facts information info detail
    details something anything someone somebody anyone person people time times day days year years example examples
    bit couple few one ones term word phrase question reason point place places idea ideas stuff rest case cases
    difference differences side
    """
)
NAMING = word_set("term word phrase name expression")
# what is there once for everybody
SHARED = word_set(
    """
    world sun moon earth sky internet web government economy president weather news ocean sea environment universe
    public past future present day night morning evening afternoon summer winter spring fall autumn weekend year week
    month time us uk usa eu un body brain heart human humans planet country nation state market media police law bible
    army military city century decade rich poor way west east north south middle end top bottom first last same us
    """
)
# words for a kind of thing; with "the" they stand for a name that was given before
CLASSES: dict[str, str] = dict.fromkeys(
    word_set(
        """
        movie film show series book novel story song album band group team club company firm organization organisation
        brand product game app software program programme platform service website site tool device car vehicle
        building bridge tower museum temple castle monument event war battle experiment study project theory method
        disease illness condition disorder syndrome virus infection drug medication medicine supplement vitamin
        substance chemical element mineral animal bird dog cat fish insect plant tree flower fruit vegetable food dish
        drink sport festival holiday treaty agreement law act bill policy language religion organization party league
        university school college hospital airline airport school planet star galaxy
        """
    ),
    "thing",
) | dict.fromkeys(
    word_set("city town village country state region island place area county province continent park neighborhood"),
    "place",
) | dict.fromkeys(
    word_set(
        """
        man woman guy girl boy lady person actor actress author writer singer artist president politician scientist
        director inventor founder king queen player athlete philosopher painter composer poet leader emperor
        """
    ),
    "person",
)  # fmt: skip

MALE = word_set(
    """
    man boy guy gentleman king prince duke emperor father dad son brother husband uncle nephew grandfather grandpa
    grandson boyfriend fiancé groom actor waiter lord sir mr mister monk pope priest stepfather stepson godfather
    brother-in-law father-in-law son-in-law ex-husband ex-boyfriend
    """
)
FEMALE = word_set(
    """
    woman girl lady queen princess duchess empress mother mom mum daughter sister wife aunt niece grandmother grandma
    granddaughter girlfriend fiancée bride actress waitress madam mrs ms miss nun stepmother stepdaughter godmother
    sister-in-law mother-in-law daughter-in-law ex-wife ex-girlfriend
    """
)
PERSONS = MALE | FEMALE | word_set(
    """
    person child kid baby friend boss manager colleague coworker teacher professor doctor dentist therapist nurse
    neighbor neighbour roommate flatmate partner spouse cousin parent sibling president minister senator governor mayor
    politician scientist physicist chemist biologist mathematician philosopher author writer poet novelist singer
    musician composer artist painter sculptor director producer designer architect engineer inventor founder ceo
    entrepreneur athlete player footballer coach soldier general captain explorer astronaut lawyer judge
    comedian dancer chef journalist historian economist psychologist leader dictator saint prophet hero villain
    detective student employee client customer owner creator boyfriend girlfriend actor champion winner landlord
    """
)  # fmt: skip
TITLES = word_set("mr mrs ms miss dr prof professor president king queen prince princess sir lord lady saint pope")
# names that men and women have are in both lists
MALE_NAMES = word_set(
    """
    alex andrea casey dana jamie jordan kelly kim leslie morgan robin taylor terry
    aaron abraham adam ahmed alan albert alejandro alexander alexandre ali andre andreas andrew angelo anthony antoine
    antonio arnold arthur auguste barack benjamin ben bernard bernie bill bob brad brandon brian bruce carl carlos
    charles chris christian christoph christopher claude dan daniel dave david denis dennis diego dmitri donald douglas
    edgar edward elon emmanuel enrique eric ernest eugene felix fernando francis francisco francois frank franz fred
    frederick friedrich galileo gary george gerald giovanni giuseppe gordon gregory guido gustav hans harold harry
    henri henry herbert hermann howard hugo ian igor isaac ivan jack jacob jacques jake james jan jason jay jean jeff
    jeffrey jerry jesus jim jimmy joe johann john johnny jon jonas jonathan jorge jose josef joseph josh joshua juan
    juergen julius justin karl keith ken kenneth kevin klaus kurt larry lars lawrence leo leonard leonardo lionel louis
    lucas ludwig luigi luis luke manuel marc marco mario mark martin marvin matt matthew max maximilian michael miguel
    mike milton mohamed mohammed muhammad napoleon nathan neil nelson nicholas nick nicolas niels nikola noah oliver
    omar oscar otto pablo patrick paul pedro peter philip pierre pietro rafael ralph raymond ricardo richard rob robert
    roberto roger roland ronald ruben rudolf russell ryan sam samuel santiago scott sebastian sergei simon stefan
    stephen steve steven stuart ted theodore thomas tim timothy toby todd tom tommy tony tyler victor vincent vladimir
    walter warren werner wilhelm will william winston wolfgang xavier yuri
    """
)
FEMALE_NAMES = word_set(
    """
    alex casey jamie jordan leslie morgan robin sam terry
    ada adele agatha agnes alexandra alice alicia alison amanda amelia amy ana anastasia andrea angela angelina anita
    ann anna anne annie aretha ariana astrid audrey barbara beatrice beth betty beyonce bianca bonnie brenda bridget
    britney camilla carla carmen carol caroline catherine cecilia charlotte cheryl christina christine claire clara
    claudia cleopatra coco cynthia daisy dana deborah denise diana donna doris dorothy edith elena eleanor elisabeth
    eliza elizabeth ella ellen emily emma erica esther eva eve evelyn fatima florence frances frida gabriela gemma
    georgia gina gloria grace greta gwen hannah harriet heather hedy helen helena hillary ingrid irene iris isabel
    isabella jacqueline jane janet jasmine jean jennifer jenny jessica jill joan joanna josephine joyce judith judy
    julia julie juliet kamala karen kate katherine kathleen kathryn katie katy kelly kim laura lauren leah lena linda
    lisa liz louise lucia lucy lydia lynn madonna margaret maria marie marilyn marina marion martha mary maya megan
    meghan melanie melinda melissa meryl mia michelle mildred miranda miriam molly monica nadia nancy naomi natalie
    nicole nina nora olga olivia oprah pamela patricia paula pauline penelope priya rachel rebecca renee rihanna rita
    rosa rosalind rose ruth sally samantha sandra sara sarah selena serena shakira sharon sheila shirley simone sofia
    sonia sophia sophie stella stephanie sue susan suzanne sylvia tamara tanya taylor teresa theresa tina vanessa
    venus vera veronica victoria virginia vivian wendy whitney winona yoko yvonne zoe
    """
)
PLACES = word_set(
    """
    africa america antarctica asia australia europe us usa uk eu england scotland wales ireland france germany italy
    spain portugal netherlands holland belgium switzerland austria poland czechia slovakia hungary romania bulgaria
    greece turkey russia ukraine norway sweden finland denmark iceland estonia latvia lithuania croatia serbia slovenia
    canada mexico brazil argentina chile peru colombia venezuela ecuador bolivia uruguay paraguay cuba jamaica haiti
    panama guatemala honduras nicaragua china japan india pakistan bangladesh nepal tibet thailand vietnam cambodia laos
    myanmar malaysia singapore indonesia philippines taiwan korea mongolia kazakhstan iran iraq israel palestine jordan
    lebanon syria egypt libya morocco tunisia algeria nigeria ghana kenya ethiopia tanzania uganda sudan congo angola
    zimbabwe zambia senegal mali madagascar yemen oman qatar kuwait dubai afghanistan zealand california texas florida
    alaska hawaii arizona nevada utah oregon washington colorado idaho montana georgia virginia ohio michigan illinois
    wisconsin minnesota iowa missouri arkansas louisiana mississippi alabama tennessee kentucky indiana pennsylvania
    massachusetts connecticut vermont maine delaware maryland oklahoma nebraska wyoming
    york london paris berlin madrid barcelona rome milan venice florence naples vienna munich hamburg amsterdam brussels
    zurich geneva prague budapest warsaw athens lisbon dublin edinburgh glasgow manchester liverpool oslo stockholm
    copenhagen helsinki moscow istanbul cairo tokyo kyoto osaka beijing shanghai seoul bangkok delhi mumbai sydney
    melbourne toronto montreal vancouver chicago boston seattle denver miami dallas houston austin atlanta detroit
    philadelphia phoenix
    """
)
# what one visits in a place
SIGHTS = word_set(
    """
    museum museums park parks reserve trail trails bridge tower river lake beach beaches zoo garden gardens market
    markets hotel hotels restaurant restaurants airport station library castle church cathedral temple theater theatre
    stadium pool pools gallery galleries monument monuments memorial square festival festivals bar bars club clubs cafe
    cafes brewery breweries mall area district palace aquarium
    """
)
