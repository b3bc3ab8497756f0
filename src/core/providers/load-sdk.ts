import type * as Sdk from 'ai';

/** Loads the AI SDK at its first use: a daemon that asks no model does not pay for it. */
export async function loadSdk(): Promise<typeof Sdk> {
  // It would print them to the console.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
