import { choiceTable } from '../../../contract/choice-table.ts';
import { agentType, timeZone } from '../../completion/suggestions.ts';
import { option, type OptionSpec, repeatable } from '../../program/options.ts';
import { choice, text, wholeNumber } from '../../program/value-type.ts';
import { modeMeanings } from '../../../contract/mode-meanings.ts';
import { environmentOptions } from '../tasks/environment-options.ts';
import { priority } from '../tasks/priority.ts';
import { workOptions } from '../tasks/work-options.ts';
import { catchUpMeanings, overlapMeanings } from '../../../contract/schedule-policies.ts';

/** The options for what a schedule consists of. */
export const scheduleOptions = [
  option('--at <time>', 'Run once at this time, in the time zone unless it has an offset', text),
  option('--tz <zone>', "Time zone, such as Europe/Berlin (default: the daemon's)", timeZone),
  option('--name <name>', 'Name (default: the title of its tasks)', text),
  option('-a, --agent <type>', 'Agent that runs the tasks', agentType),
  option('--cwd <folder>', 'Directory that commands run in (default: a new one per task)', text),
  option(
    '--overlap <way>',
    'When the previous run has not finished (default: skip)',
    choice(choiceTable.schedules.create.overlap, { meanings: overlapMeanings, title: 'Overlapping runs' }),
  ),
  option(
    '--catch-up <way>',
    'When the daemon was off (default: run_once)',
    choice(choiceTable.schedules.create.catchUp, { meanings: catchUpMeanings, title: 'Missed runs' }),
  ),
  option(
    '--max-failures <n>',
    'Pause after this many failed runs in a row; 0 for never (default: 5)',
    wholeNumber,
  ),
  option('--title <title>', 'Title of its tasks (default: the first line of the prompt)', text),
  repeatable('-l, --label <label>', 'Add a label to its tasks', text),
  option('--priority <n>', 'Priority, 1 (critical) to 4 (low)', priority),
  option('--attempts <n>', 'Maximum number of attempts per run', wholeNumber),
  option(
    '--mode <mode>',
    'Security mode',
    choice(choiceTable.tasks.create.securityMode, { meanings: modeMeanings }),
  ),
  ...environmentOptions,
  ...workOptions,
] as const;

/** The same options where nothing is a default, because what is not given stays. */
export const withoutDefaults = <const O extends readonly OptionSpec[]>(options: O): O =>
  options.map((each) => ({ ...each, help: each.help.split(' (default: ', 1)[0] ?? '' })) as unknown as O;
