import type { SettingKey } from './settings.ts';
import type { SettingsDocument } from './settings-document.ts';

/** Says where a setting stands, for errors. */
export type Locate = (key: string) => string;

export interface SettingChange {
  key: SettingKey;
  /** As it is stored, with its secrets sealed; null removes the setting. */
  value: unknown;
}

/** Where settings are stored: the settings file of a daemon, or the table of a cluster. */
export interface SettingsSource {
  /** The settings as they were last read. */
  readonly document: SettingsDocument;
  locate(): Locate;
  /** Reads the settings again; resolves to whether any of them has changed. */
  refresh(): Promise<boolean>;
  /**
   * Stores all changes, or none where `check` throws for the document with them. Throws `conflict` where another daemon
   * has changed one of the settings since this one last read it, which it has then done.
   */
  write(
    changes: readonly SettingChange[],
    check: (document: SettingsDocument) => void,
    author?: string,
  ): Promise<void>;
}
