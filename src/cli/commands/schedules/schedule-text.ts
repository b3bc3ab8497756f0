import type { Schedule } from '../../../contract/schedules.ts';
import type { FieldCheck } from '../../../contract/schedule-checks.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { closest } from '../../../contract/closest.ts';
import type { ScheduleDraft } from './schedule-draft.ts';

type FieldChecks = Readonly<Record<string, FieldCheck>>;

const END = '---';

/** A draft as text for an editor: a line per field, and the prompt as it is behind a line of dashes. */
export function formatDraft(
  draft: ScheduleDraft,
  { id, envNames = [] }: { id: string; envNames?: Schedule['task']['envNames'] },
): string {
  const { prompt = '', ...fields } = draft;
  return [
    `# Schedule ${id}: change it, save and close. Remove a line to unset its field.`,
    '# Lists, objects and texts of several lines are JSON. Below the dashes is the prompt.',
    ...(envNames.length === 0
      ? []
      : [
          `# Variables: ${envNames.join(', ')}. They stay as they are; to change them: svc schedules edit --env`,
        ]),
    ...Object.entries(fields).flatMap(([field, value]) =>
      value === undefined ? [] : [`${field}: ${formatValue(value)}`],
    ),
    END,
    typeof prompt === 'string' ? prompt : '',
  ].join('\n');
}

/** Reads a draft from its text; throws where a line is no field, or its value does not fit the check of the field. */
export function parseDraft(text: string, checks: FieldChecks): ScheduleDraft {
  const lines = text.split('\n');
  const end = lines.indexOf(END);
  const prompt = end < 0 ? '' : lines.slice(end + 1).join('\n');
  const draft: Record<string, unknown> = {};
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, field = '', value = ''] = /^\s*(\w+):(.*)$/.exec(line) ?? [];
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (field === '') throw invalid(`"${line.trim()}" is not a line such as "name: Nightly".`);
    if (!check) throw unknownField(field, checks);
    if (value.trim() !== '') draft[field] = parseValue(field, value.trim(), check);
  }
  return { ...draft, ...(prompt.trim() !== '' && { prompt }) };
}

const formatValue = (value: unknown): string =>
  typeof value === 'string' && value.trim() === value && !/[\n"]/.test(value) ? value : JSON.stringify(value);

/** Text as it is where the field takes it, else JSON. */
function parseValue(field: string, text: string, check: FieldCheck): unknown {
  const json = parseJson(text);
  const values = typeof json === 'string' ? [json] : [text, ...(json === undefined ? [] : [json])];
  const fitting = values.find((value) => check(value) === undefined);
  if (fitting !== undefined) return fitting;
  throw invalid(`${field}: ${check(values.at(-1)) ?? 'Invalid input'}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unknownField(field: string, checks: FieldChecks): CliError {
  const known = Object.keys(checks);
  const meant = closest(field, known);
  return invalid(
    meant === undefined
      ? `There is no field "${field}". Fields: ${known.toSorted().join(', ')}.`
      : `There is no field "${field}". Did you mean ${meant}?`,
  );
}

const invalid = (message: string) => new CliError(exitCodes.invalid, message);
