import { modelName } from '../../completion/suggestions.ts';
import { option, repeatable } from '../../program/options.ts';
import { duration, text, wholeNumber } from '../../program/value-type.ts';
import { providerName } from '../providers/provider-name.ts';

/** The options for the work of a task: its checks, its model and its limits. */
export const workOptions = [
  repeatable('--needs <label>', 'Run only on a daemon with this label, such as gpu or host:NAME', text),
  repeatable('--verify <command>', 'Command that must succeed after the agent has answered', text),
  option('--repair <n>', 'Times the agent may repair what --verify found (default: 2)', wholeNumber),
  option(
    '--model <model>',
    'Model: MODEL or PROVIDER/MODEL; as its own CLI names it for a coding agent',
    modelName,
  ),
  option('--provider <provider>', 'Provider of the model', providerName),
  option('--max-steps <n>', 'Stop after this many steps (exit code 10)', wholeNumber),
  option('--max-budget <tokens>', 'Stop before more tokens are used (exit code 10)', wholeNumber),
  option('--max-cost <usd>', 'Stop before more is spent, such as 0.50 (exit code 10)', text),
  option('--max-time <duration>', 'Stop its run after 10m, 1h … of work (exit code 124)', duration),
  option('--output-schema <file>', 'JSON Schema that the answer has to fit, as JSON', text),
] as const;
