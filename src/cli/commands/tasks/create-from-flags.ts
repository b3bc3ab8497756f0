import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CreateTask } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readStdin } from '../../input/read-stdin.ts';
import { titleOf } from '../../../contract/task-title.ts';
import { formatFileError } from '../../errors/file-error.ts';

export interface CreateOptions {
  title?: string;
  description?: string;
  prompt?: string;
  agent?: string;
  priority?: number;
  label?: string[];
  needs?: string[];
  repository?: string;
  branch?: string;
  cwd?: string;
  attempts?: number;
  file?: string;
  idempotencyKey?: string;
  json?: boolean;
}
type Body = Partial<CreateTask> & { title: string };

/** `svc tasks create`: flags take precedence over the file. */
export async function createFromFlags(cli: Cli, options: CreateOptions): Promise<void> {
  const { output } = cli;
  const given = options.file === undefined ? {} : await readBody(options.file);
  const body = { ...given, ...flagsOf(options) };
  const title = body.title ?? (body.prompt === undefined ? undefined : titleOf(body.prompt));
  if (title === undefined)
    throw new CliError(exitCodes.usage, 'A task needs a title.', {
      next: 'Pass --title, --prompt or --file.',
    });
  const answer = await cli.connect().client.tasks.create({
    body: { ...body, title } satisfies Body,
    headers: options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey },
  });
  if (options.json) return output.json(answer);
  printWarnings(output, answer);
  output.write(`${answer.task.id}\n`);
  output.note(`Follow it: svc tasks logs -f ${answer.task.id}`);
}

function flagsOf(options: CreateOptions): Partial<CreateTask> {
  const { title, description, prompt, priority, repository, branch, cwd } = options;
  const flags = {
    title,
    description,
    prompt,
    priority,
    repository,
    branch,
    assignedAgent: options.agent,
    labels: options.label,
    needs: options.needs,
    maxAttempts: options.attempts,
    cwd: cwd === undefined ? undefined : resolve(cwd),
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

async function readBody(file: string): Promise<Partial<CreateTask>> {
  const text = file === '-' ? await readStdin() : readText(file);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${name(file)} is not valid JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  throw new CliError(exitCodes.invalid, `${name(file)} is not a JSON object.`, {
    next: 'Example: {"title": "Say hello"}',
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${file} cannot be read: ${formatFileError(error)}.`, {
      cause: error,
    });
  }
}

const name = (file: string) => (file === '-' ? 'stdin' : file);
