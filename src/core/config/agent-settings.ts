import { z } from 'zod';
import { taskEnvironmentSchema } from '../../contract/task-environment.ts';
import { define } from './define-setting.ts';
import { parseJsonText } from './parse-json-text.ts';

const count = (min: number, max: number) => z.int().min(min).max(max);

/** How agents run. */
export const agentSettings = {
  'agents.default': define({
    schema: z.string().max(100).optional(),
    default: undefined,
    live: true,
    description: 'The default agent of tasks',
  }),
  'agents.command.env': define({
    schema: z.preprocess(parseJsonText, taskEnvironmentSchema),
    default: {},
    live: true,
    secretParts: { names: 'entries' },
    description: 'Environment variables of every command, as a JSON object by name',
  }),
  'agents.output.maxBytes': define({
    schema: count(1024, 1_099_511_627_776),
    default: 256 * 1024 * 1024,
    live: true,
    description: 'Maximum number of bytes that a command may print; it is stopped at the limit',
  }),
  'agents.http.url': define({
    schema: z.url({ protocol: /^https?$/ }).optional(),
    default: undefined,
    live: true,
    description: 'The URL that the http agent posts tasks to',
  }),
  'agents.builtin.model': define({
    schema: z.string().trim().max(200).optional(),
    default: undefined,
    live: true,
    description: 'The model of the built-in agent, as provider/model; the default model unless set',
  }),
  'agents.builtin.maxSteps': define({
    schema: count(1, 1000),
    default: 100,
    live: true,
    description: 'Maximum number of steps of the built-in agent per task',
  }),
  'agents.builtin.maxBudget': define({
    schema: count(1000, 1_000_000_000).optional(),
    default: undefined,
    live: true,
    description: 'Maximum number of tokens of the built-in agent per task',
  }),
};
