import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** `svc webhooks`. */
export function fillWebhooks(_command: Command, _cli: Cli): void {}
