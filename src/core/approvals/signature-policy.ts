import type { SettingValue } from '../config/settings.ts';

/** Whether only a signed decision can allow a call of this danger. */
export type NeedsSignature = (danger: string) => boolean;

/** Reads the setting at each decision, so that a change is in force at once. */
export const signaturePolicy =
  (setting: () => SettingValue<'approvals.requireSignature'>): NeedsSignature =>
  (danger) => {
    const required = setting();
    // What is neither low nor medium is not known to be harmless.
    return required === 'always' || (required === 'high-danger' && danger !== 'low' && danger !== 'medium');
  };
