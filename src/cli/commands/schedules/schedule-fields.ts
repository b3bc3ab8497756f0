import { resolve } from 'node:path';
import type { Schedule } from '../../../contract/schedules.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { EnvironmentOptions } from '../run/task-environment.ts';
import { workOf, type WorkOptions } from '../tasks/work-of.ts';

/** What the options say about a schedule and its tasks. */
export interface ScheduleOptions extends WorkOptions, EnvironmentOptions {
  at?: string;
  tz?: string;
  name?: string;
  agent?: string;
  cwd?: string;
  title?: string;
  label?: string[];
  priority?: number;
  attempts?: number;
  mode?: SecurityMode;
  overlap?: Schedule['overlap'];
  catchUp?: Schedule['catchUp'];
  maxFailures?: number;
}

/** The fields of the schedule that the options describe. */
export const scheduleFieldsOf = ({ at, tz, name, overlap, catchUp, maxFailures }: ScheduleOptions) => ({
  // As people write it.
  ...(at !== undefined && { at: at.replace(/^(\d{4}-\d\d-\d\d) +/, '$1T') }),
  ...(tz !== undefined && { timezone: tz }),
  ...(name !== undefined && { name }),
  ...(overlap && { overlap }),
  ...(catchUp && { catchUp }),
  ...(maxFailures !== undefined && { maxFailures }),
});

/** The fields of its tasks that the options describe, except for the title and the prompt. */
export const taskFieldsOf = (options: ScheduleOptions, isLocal: boolean) => ({
  ...(options.agent !== undefined && { assignedAgent: options.agent }),
  ...(options.cwd !== undefined && { cwd: isLocal ? resolve(options.cwd) : options.cwd }),
  ...(options.priority !== undefined && { priority: options.priority }),
  ...(options.attempts !== undefined && { maxAttempts: options.attempts }),
  ...(options.mode !== undefined && { securityMode: options.mode }),
  ...workOf(options),
  ...(options.label && { labels: options.label }),
});
