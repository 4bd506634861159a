"""English words by what they are, and by what they say of a person: people, things owned, health, origin, moods."""

from souvenir.memory.local_extract.words import word_set

# helping verbs
BE = frozenset({"am", "'m", "is", "'s", "are", "'re", "was", "were"})
HAVE = frozenset({"have", "'ve", "has", "had"})
DO = word_set("do does did")
MODALS = frozenset({"can", "could", "will", "'ll", "would", "'d", "should", "must", "might", "may", "shall"})
FINITE = (BE | HAVE | DO | MODALS) - {"'s", "'m"}

# adverbs that stand beside a verb: those that only colour it are left out
_COLOUR = word_set(
    """
    just also actually really absolutely definitely totally truly honestly literally basically simply so obviously
    certainly personally quite too very seriously genuinely deeply particularly especially
    """
)
MEANT = word_set(
    """
    always usually often never sometimes mostly mainly still currently now recently already rarely seldom generally
    typically occasionally normally regularly frequently only originally formerly previously once strictly primarily
    almost barely hardly finally secretly both all officially then presently lately first ever proudly happily
    temporarily last fully partly largely newly exclusively nearly
    """
)
HEDGES = word_set("maybe probably possibly perhaps kinda sorta apparently supposedly presumably potentially")
ADVERBS = _COLOUR | MEANT | HEDGES
FILLERS = word_set(
    "well actually honestly unfortunately sadly luckily fortunately personally anyway today nowadays lately"
)

# what never is a verb
NO_VERBS = word_set(
    """
    i me my mine myself we us our ours ourselves you your he him his she her it its they them their the a an this that
    these those and or but of in on at to for with from by if so than because
    """
)

# people, animals, things
KIN = word_set(
    """
    wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend mother father mom mum dad mama papa
    mommy daddy parent parents sister sisters brother brothers sibling siblings twin twins son sons daughter daughters
    kid kids child children baby toddler newborn boy boys girl girls grandmother grandfather grandma grandpa granny
    nana grandparents grandson grandsons granddaughter granddaughters grandchild grandchildren grandkids aunt uncle
    aunts uncles niece nephew nieces nephews cousin cousins stepmother stepfather stepson stepdaughter stepsister
    stepbrother stepmom stepdad half-brother half-sister godmother godfather godson goddaughter mother-in-law
    father-in-law sister-in-law brother-in-law son-in-law daughter-in-law in-laws ex ex-wife ex-husband ex-girlfriend
    ex-boyfriend family better-half folks triplets gf bf hubby wifey fam bro sis kiddo kiddos grandkid mil fil missus
    soulmate
    """
)
ACQUAINTED = word_set(
    """
    friend friends bestie buddy mate roommate roommates flatmate flatmates housemate housemates neighbor neighbour
    neighbors neighbours boss manager supervisor colleague colleagues coworker coworkers co-worker co-workers teammate
    teammates classmate classmates teacher professor advisor adviser mentor mentee coach trainer doctor dentist
    therapist psychiatrist psychologist nurse landlord landlady tenant tenants lawyer accountant assistant employee
    employees client clients customer customers co-founder cofounder cto ceo sous-chef chef babysitter nanny student
    students tutor bandmate bandmates pastor priest rabbi imam caregiver midwife physiotherapist cardiologist gp vet
    pupil pupils apprentice intern crush paralegal secretary gardener cleaner hairdresser barber plumber electrician
    mechanic broker agent realtor publisher principal captain patient patients supplier suppliers contractor investor
    investors fans rival partner partners drummer guitarist bassist singer dealer
    """
)
PETS = word_set(
    """
    dog dogs cat cats puppy puppies kitten kittens rabbit rabbits bunny hamster hamsters parrot parrots budgie canary
    horse horses pony goldfish fish snake tortoise turtle guinea-pig guinea ferret chickens chicken hens goat goats
    retriever labrador poodle beagle bulldog terrier dachshund shepherd husky corgi collie chihuahua pug dalmatian
    rottweiler spaniel schnauzer greyhound maltipoo labradoodle goldendoodle tabby siamese pet pets cockatiel gecko
    iguana lizard dragon chameleon tarantula gerbil gerbils rats finches koi axolotl bees mare gelding donkey alpacas
    sheep cows pigs ducks
    """
)
POSSESSIONS = word_set(
    """
    car cars truck van minivan motorcycle motorbike scooter bike bicycle e-bike boat yacht caravan camper rv house
    home apartment flat condo cottage cabin farm garden greenhouse garage pool balcony laptop computer desktop pc
    macbook mac imac ipad iphone phone smartphone tablet android kindle console playstation xbox switch ps5 camera
    lens drone telescope printer monitor keyboard gpu piano guitar bass violin cello drum drums saxophone trumpet
    flute synth synthesizer ukulele amp turntable oven grill wok skillet instant-pot airfryer air-fryer stove kitchen
    treadmill peloton kayak surfboard skis snowboard skateboard tent tattoo tattoos collection blog podcast newsletter
    channel website company business startup shop store restaurant bakery café cafe bar studio practice agency
    franchise license licence permit visa passport citizenship degree diploma phd mba master masters bachelor
    doctorate certificate certification scholarship mortgage loan savings 401k pension insurance job internship
    workshop allotment vineyard orchard tesla toyota honda ford bmw audi volkswagen vw vespa hybrid vinyl records
    thermomix espresso-machine sewing-machine cast-iron loom kiln etsy twitter youtube instagram tiktok patreon
    background experience major minor room office basement eyes hair freckles attic backyard yard pitch accent beard
    piercing piercings
    """
)
PROJECTS = word_set(
    """
    project projects startup company business app application website site blog podcast newsletter channel thesis
    dissertation paper novel book memoir manuscript screenplay album ep game band restaurant shop store bakery café
    cafe team department organisation organization nonprofit charity agency firm library framework product plugin
    extension hustle research study course curriculum exhibition film documentary report presentation proposal
    portfolio garden renovation clinic practice farm studio school codebase stack
    """
)
CONDITIONS = word_set(
    """
    asthma diabetes adhd add autism dyslexia ocd ptsd depression anxiety bipolar epilepsy migraine migraines arthritis
    cancer celiac coeliac crohn ibs ibd gerd eczema psoriasis rosacea hypertension hypothyroidism hyperthyroidism
    hashimoto pcos endometriosis fibromyalgia lupus ms parkinson alzheimer dementia osteoporosis scoliosis sciatica
    tinnitus vertigo insomnia apnea narcolepsy anemia anaemia hemophilia gout glaucoma cataracts astigmatism
    allergy allergies intolerance disability disease disorder syndrome condition pacemaker prosthesis epipen pressure
    cholesterol hiv hepatitis copd reflux ulcer hernia arrhythmia diabetic stutter lisp phobia tourette raynaud
    hayfever fever-allergy transplant wheelchair cpap inhaler neuropathy aphantasia dyscalculia dyspraxia amputation
    """
)
AIDS = word_set("cane walker planner journal desk calendar whiteboard mac pc crutch crutches reader aid app notebook")
# what one has for a day
AILMENTS = word_set("headache cold flu cough fever stomachache toothache hangover cramp cramps hiccups sniffles")
BODY = word_set(
    """
    leg arm foot ankle knee hip wrist hand finger shoulder back neck rib ribs collarbone toe elbow hamstring acl
    achilles meniscus jaw nose spine pelvis thumb
    """
)
EVENTS = word_set(
    """
    exam exams test midterm midterms final finals interview deadline wedding surgery operation appointment flight trip
    vacation holiday presentation conference marathon half-marathon race recital concert gig audition defense defence
    viva graduation ceremony hearing trial scan mri biopsy chemo baby launch release assessment review oral
    competition tournament match show exhibition anniversary reunion baptism communion move inspection date-night
    checkup check-up ultrasound procedure residency semester internship licence-test driving-test citizenship-test
    submission
    """
)
DATED_THINGS = EVENTS | word_set(
    """
    thesis essay paper report project assignment homework visa passport contract lease license licence application
    proposal draft manuscript rent tax taxes return permit subscription course semester term menu product app beta
    website sprint demo album book novel birthday shift milestone version migration payment bill loan warranty policy
    membership grant
    """
)
ATTRIBUTES = word_set(
    """
    name email e-mail nickname surname age birthday birthdate hometown nationality ethnicity religion faith height
    weight job profession occupation career title role employer major minor degree field specialty speciality hobby
    hobbies passion pronouns pronoun timezone zone zodiac sign star language tongue background address city country
    location heritage ancestry salary income budget handle username goal goals dream ambition diagnosis blood type
    size shoe allergy allergies diet interests skill skills strength strengths weakness weaknesses anniversary
    orientation gender school university college workplace schedule shift pattern layout setup position industry
    politics party caste tribe clan middle maiden profession specialization specialisation expertise vision eyesight
    prescription medication dosage subject subjects resolution motto philosophy style routine commute pet-peeve peeve
    fear phobia weakness pleasure go-to
    """
)
SECRETS = word_set(
    "password passwords passcode pin cvv ssn token tokens apikey api-key key credential credentials iban secret otp"
)
FAVOURITE = word_set(
    "favorite favourite favorites favourites fave fav go-to preferred least-favorite beloved ideal top"
)

# what follows "I'm", by its first word or words
HEALTH_ADJECTIVES = word_set(
    """
    allergic intolerant diabetic asthmatic epileptic anemic anaemic dyslexic autistic neurodivergent bipolar colorblind
    colourblind color-blind colour-blind deaf blind disabled paralyzed paralysed pregnant immunocompromised obese
    overweight underweight nearsighted near-sighted shortsighted short-sighted farsighted sober celiac coeliac anorexic
    prediabetic pre-diabetic hypertensive paraplegic quadriplegic infertile menopausal hypothyroid vaccinated diagnosed
    lactose-intolerant gluten-intolerant hemophiliac narcoleptic
    """
)
DIET_ADJECTIVES = word_set(
    """
    vegan vegetarian pescatarian pescetarian flexitarian plant-based gluten-free dairy-free sugar-free keto kosher
    halal teetotal carnivore fruitarian veggie
    """
)
STATUS_ADJECTIVES = word_set(
    """
    single divorced widowed separated engaged married gay lesbian bisexual pansexual bi queer trans transgender
    nonbinary non-binary asexual aromantic straight cisgender male female intersex agnostic atheist religious
    christian catholic protestant orthodox evangelical lutheran methodist baptist anglican jewish muslim hindu
    buddhist sikh mormon quaker pagan bilingual trilingual multilingual left-handed right-handed lefthanded
    ambidextrous introverted extroverted ambiverted retired semi-retired unemployed self-employed self-taught employed
    jobless homeless adopted childless childfree enrolled certified licensed tenured trained educated conservative
    liberal progressive libertarian socialist black white latino latina hispanic asian biracial mixed-race native
    indigenous first-generation
    """
)
DEMONYMS = word_set(
    """
    afghan albanian algerian american angolan arab argentine argentinian armenian australian austrian azerbaijani
    basque bangladeshi belarusian belgian bolivian bosnian brazilian british bulgarian burmese cambodian cameroonian
    canadian catalan chilean chinese colombian congolese croatian cuban cypriot czech danish dominican dutch
    ecuadorian egyptian english eritrean estonian ethiopian european filipino filipina finnish flemish french galician
    georgian german ghanaian greek guatemalan haitian honduran hungarian icelandic indian indonesian iranian iraqi
    irish israeli italian ivorian jamaican japanese jordanian kazakh kenyan korean kurdish kuwaiti laotian latvian
    lebanese liberian libyan lithuanian macedonian malaysian maltese mexican moldovan mongolian moroccan nepali
    nepalese nicaraguan nigerian norwegian pakistani palestinian panamanian paraguayan persian peruvian polish
    portuguese romanian russian rwandan salvadoran samoan saudi scottish senegalese serbian singaporean slovak
    slovenian somali spanish sudanese swedish swiss syrian taiwanese tajik tanzanian texan thai tibetan tongan
    tunisian turkish ugandan ukrainian uruguayan uzbek venezuelan vietnamese welsh yemeni zambian zimbabwean maori
    hawaiian puerto african
    """
)
# heads of "I'm a …" that say nothing that lasts
EMPTY_HEADS = word_set(
    """
    bit little lot mess wreck idiot fool moron failure loser disaster zombie joke burden genius problem week weeks day
    days minute minutes hour hours step mile miles tad ghost robot bot human person stranger nobody star hero god king
    queen legend monster machine sucker liar pirate wizard knight vampire dragon disgrace hypocrite mistake ball kid
    one guy man woman loss point pinch hurry rush meeting state place position situation crossroads total half third
    couple mix potato unicorn alien banana tree rock goblin gremlin boop
    """
)
# heads that say what one likes
LIKING_HEADS = word_set(
    "fan fans lover enthusiast buff addict junkie geek nerd fanatic aficionado believer admirer person owl bird fiend "
    "supporter follower eater drinker reader gamer hater"
)
ROLE_HEADS = word_set(
    """
    ceo cto cfo coo founder co-founder cofounder owner co-owner head manager director lead leader president chair
    chairman chairwoman captain secretary treasurer author mother father oldest youngest eldest middle child only
    maintainer editor coach principal dean mayor pastor chef organizer organiser host admin administrator designer
    engineer developer nurse teacher breadwinner caregiver caretaker producer singer drummer guitarist bassist
    vocalist goalkeeper chief vp
    """
)
PASSING_ADJECTIVES = word_set(
    """
    tired exhausted sleepy happy sad glad bored hungry thirsty busy confused stuck sorry sure ready back here fine
    good ok okay well great late early excited nervous anxious stressed worried angry mad upset annoyed frustrated
    sick ill cold hot drunk lonely lost curious done home away free available right wrong serious kidding joking
    grateful thankful overwhelmed surprised shocked impressed proud jealous embarrassed relieved disappointed hopeful
    aware able unable awake up down out off online offline alone lucky unlucky broke certain afraid gonna about
    """
)
# what a chat is about for a moment: nothing one owns or makes for long
PASSING_THINGS = word_set(
    """
    question questions problem problems issue issues bug bugs error errors idea ideas feeling doubt doubts request
    minute minutes moment second time thought thoughts meeting call look list file files function functions script
    array arrays string dataframe df table column columns row rows query loop class method variable variables object
    json csv code server image container test tests commit branch pull pr ticket tickets regex exception log logs
    traceback output input api endpoint data dataset text paragraph sentence word words email e-mail letter message
    draft number numbers point choice option options suggestion suggestions request favor favour clue plan break lunch
    dinner breakfast coffee snack sandwich pizza nap shower walk drink beer party way reason hunch crush task tasks
    page loop button form field modal dollars euros bucks money fun trouble hard difficulty difficulties luck chance
    hope hopes date turn
    """
)
FIRST_NAMES = word_set(
    """
    adam ahmed alex alice ali amanda amy ana andrea andrew anna anne anthony ben bob brian carlos carol charles
    charlie chris claire dan daniel dave david diana elena elizabeth emily emma eric fatima frank george hannah helen
    henry jack jake james jane jason jeff jen jennifer jessica jim joe john jose joseph josh juan julia karen kate
    katie kevin kim laura leo lisa liz lucas lucy luis luke maria mark martin mary matt maya megan mia michael mike
    mohammed nancy nick nina noah oliver olivia omar pablo pat paul pedro peter priya rachel ravi rebecca richard rob
    robert ryan sam samantha sara sarah scott sofia sophie stephen steve susan tom tony tyler will william wei yuki
    zoe
    """
)
NUMBER_WORDS = word_set(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
    """
)
