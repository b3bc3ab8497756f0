const grammar = `
a about above across after again against all almost alone along already also although always am among an and
another any anybody anyone anything anywhere are around as at away back be became because become been before
behind being below between beyond both but by can cannot could did do does doing done down due during each either
else enough etc even ever every everybody everyone everything everywhere few for from further get gets getting got
had has have having he hence her here hers herself him himself his how however i if in indeed instead into is it
its itself just least less let lets many may maybe me might mine more moreover most mostly much must my myself
namely neither nevertheless no nobody none nor not nothing now nowhere of off often on once one only onto or other
others otherwise our ours ourselves out over own per perhaps please quite rather really same seem seems several
shall she should since so some somebody somehow someone something sometimes somewhere still such than that the
their theirs them themselves then there thereby therefore these they this those though through throughout thus to
together too toward towards under unless until up upon us very via was we well were what whatever when whenever
where whereas wherever whether which while who whoever whole whom whose why will with within without would yes yet
you your yours yourself yourselves
aint arent cant couldnt didnt doesnt dont hadnt hasnt havent hed heres hes hows id im isnt ive ill itd itll
mustnt shant shes shouldnt thats theres theyd theyll theyre theyve wasnt wed weve werent whats wheres whos wont
wouldnt youd youll youre youve`;

/** Words that phrase a question but do not describe its topic. */
const asking = `
article articles concern concerned concerning concerns deal dealing deals dealt describe described describes
describing discuss discussed discusses discussing exist exists give given gives idea ideas information interest
interested interesting interests know known like looking paper papers possible possibly publication publications
regarding related relating say says seek tell want wanted wants way ways wonder wondering`;

/** English stop words without apostrophes. */
export const stopWords: ReadonlySet<string> = new Set(`${grammar} ${asking}`.trim().split(/\s+/));
