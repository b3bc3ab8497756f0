import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** `svc schedules`. */
export function fillSchedules(_command: Command, _cli: Cli): void {}
