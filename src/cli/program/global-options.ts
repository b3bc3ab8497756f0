/** The values of the options that every command takes. */
export interface GlobalOptions {
  url?: string;
  context?: string;
  /** False after --no-autostart, true after --autostart, undefined when neither was given. */
  autostart?: boolean;
  debug?: boolean;
}
