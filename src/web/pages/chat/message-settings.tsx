import { useQuery } from '@tanstack/react-query';
import { chatModelsQuery } from '../../queries/conversations.ts';
import type { ChatMode, ChatSettings } from './send-message.ts';
import styles from './composer.module.css';

export interface SettingsProps {
  settings: ChatSettings;
  onSettings: (settings: ChatSettings) => void;
}

const modes: [mode: ChatMode, label: string][] = [
  ['chat', 'Chat only'],
  ['tools', 'With tools'],
  ['agentic', 'Agentic'],
];
const securityModes = [
  ['deny', 'No tools'],
  ['sandbox', 'Read-only'],
  ['allowlist', 'Allowed tools only'],
  ['ask', 'Ask first'],
  ['full', 'Never ask'],
] as const;

/** How the next messages are answered. */
export function MessageSettings({ hasAgent, settings, onSettings }: SettingsProps & { hasAgent: boolean }) {
  const { mode, model, provider, securityMode } = settings;
  const { data } = useQuery({ ...chatModelsQuery, enabled: !hasAgent });
  const models = data?.models ?? [];
  const providers = [...new Set(models.map((each) => each.provider))];
  const chooseModel = (at: string) => {
    const chosen = at === '' ? undefined : models[Number(at)];
    onSettings({ ...settings, model: chosen?.id, provider: chosen?.provider });
  };
  const at = models.findIndex((each) => each.id === model && each.provider === provider);
  return (
    <div className={styles['settings']}>
      {!hasAgent && (
        <>
          <select
            aria-label="Model"
            value={at < 0 ? '' : String(at)}
            onChange={({ target }) => chooseModel(target.value)}
          >
            <option value="">Default model</option>
            {providers.map((name) => (
              <optgroup key={name} label={name}>
                {models.map(
                  (each, index) =>
                    each.provider === name && (
                      <option key={each.id} value={index}>
                        {each.name}
                      </option>
                    ),
                )}
              </optgroup>
            ))}
          </select>
          <select
            aria-label="Mode"
            value={mode}
            onChange={({ target }) => onSettings({ ...settings, mode: target.value as ChatMode })}
          >
            {modes.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </>
      )}
      {(hasAgent || mode === 'tools') && (
        <select
          aria-label="Security mode"
          value={securityMode ?? ''}
          onChange={({ target }) => {
            const chosen = securityModes.find(([name]) => name === target.value)?.[0];
            onSettings({ ...settings, securityMode: chosen });
          }}
        >
          <option value="">By policy</option>
          {securityModes.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
