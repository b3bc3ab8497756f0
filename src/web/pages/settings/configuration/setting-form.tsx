import type { Setting } from '../../../../contract/config.ts';
import { type ControlProps, Field } from '../../../components/form/field.tsx';
import { Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { changeSetting } from '../../../queries/config.ts';
import styles from '../settings.module.css';
import { editedText, readSetting, type SettingKind, settingKind } from './setting-text.ts';

/** The field of a setting. A secret begins empty: what is stored is never shown. */
export function SettingForm({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const { key, value, pending = value, isSecret, needsRestart } = setting;
  const kind = settingKind(setting);
  const isHidden = isSecret && kind === 'text';
  const submit = async (data: FormData) => {
    const typed = formText(data, 'value');
    if (isHidden && typed.trim() === '') return new Map([['value', 'Type the new value.']]);
    await changeSetting(key, readSetting(typed, kind));
    onClose();
    return undefined;
  };
  return (
    <div className={styles['details']}>
      <Form submit="Save" onSubmit={submit} onCancel={onClose}>
        <Field
          name="value"
          label={isHidden ? `New value of ${key}` : `Value of ${key}`}
          hint={hintOf(kind, isSecret, needsRestart)}
        >
          {(control) => (
            <Control
              control={control}
              kind={kind}
              isHidden={isHidden}
              text={isHidden ? '' : editedText(pending, kind)}
            />
          )}
        </Field>
      </Form>
    </div>
  );
}

interface ControlOptions {
  control: ControlProps;
  kind: SettingKind;
  isHidden: boolean;
  text: string;
}

function Control({ control, kind, isHidden, text }: ControlOptions) {
  if (isHidden) return <input {...control} type="password" autoComplete="off" autoFocus />;
  if (kind === 'switch')
    return (
      <select {...control} defaultValue={text} autoFocus>
        <option value="true">On</option>
        <option value="false">Off</option>
      </select>
    );
  if (kind === 'list' || kind === 'json')
    return <textarea {...control} rows={4} defaultValue={text} spellCheck={false} autoFocus />;
  return (
    <input
      {...control}
      defaultValue={text}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={false}
      autoFocus
    />
  );
}

function hintOf(kind: SettingKind, isSecret: boolean, needsRestart: boolean): string {
  const format = {
    list: 'One on each line.',
    json: isSecret ? 'JSON. Parts that are masked keep their value.' : 'JSON.',
    unknown: 'Empty removes it.',
    switch: '',
    number: '',
    text: '',
  }[kind];
  return [format, needsRestart && 'It takes effect after a restart of the daemon.'].filter(Boolean).join(' ');
}
