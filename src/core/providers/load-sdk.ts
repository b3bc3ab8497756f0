import type * as Sdk from 'ai';

/** Loads the AI SDK at its first use, so that a daemon that calls no model does not pay for it. */
export async function loadSdk(): Promise<typeof Sdk> {
  // The SDK would print warnings to the console.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
