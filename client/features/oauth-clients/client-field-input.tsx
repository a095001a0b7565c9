import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useId, useState } from 'react';
import { JsonEditor, jsonOrText, textThatIsNotJson } from '../../record/json-editor.tsx';
import { StoredTextInput } from '../../ui/fields.tsx';
import { type ClientField, isListKind } from './client-fields.ts';
import classes from './oauth-clients.module.css';

interface FieldProps {
  field: ClientField;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
const ROWS_MAX = 10;

/** The input for one member of a client. */
export function ClientFieldInput(props: FieldProps) {
  const { field, value, error, onChange } = props;
  const common = { label: field.label, description: field.about || undefined, error };
  const [isHeld] = useState(() => canHold(field.kind, value));
  if (!isHeld) return <JsonInput {...props} />;
  switch (field.kind) {
    case 'text':
    case 'address':
    case 'scope':
    case 'duration':
      return (
        <StoredTextInput
          {...common}
          {...AS_TYPED}
          placeholder={field.kind === 'duration' ? "The server's default" : undefined}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'addresses':
    case 'origins':
    case 'lines': {
      const items = Array.isArray(value) ? value.map(String) : [];
      return (
        <Textarea
          {...common}
          {...AS_TYPED}
          className={classes.lines}
          rows={Math.min(ROWS_MAX, items.length + 1)}
          value={items.join('\n')}
          onChange={(event) => {
            const text = event.currentTarget.value;
            onChange(text === '' ? [] : text.split('\n'));
          }}
        />
      );
    }
    case 'choice': {
      const choices = field.choices ?? [];
      const current = typeof value === 'string' ? value : '';
      const known = choices.some(([choice]) => choice === current);
      const shown = known ? choices : [[current, current || 'Not set'] as const, ...choices];
      return (
        <NativeSelect
          {...common}
          value={current}
          data={shown.map(([choice, label]) => ({ value: choice, label }))}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    }
    case 'set':
      return <SetInput {...props} />;
    case 'flag':
      return <FlagInput {...props} />;
    case 'json':
      return <JsonInput {...props} />;
  }
}

/** Whether the field gives back a stored value as it is; JSON holds every other. */
function canHold(kind: ClientField['kind'], value: unknown): boolean {
  if (kind === 'json' || value === undefined || value === null) return true;
  if (kind === 'flag') return typeof value === 'boolean';
  if (!isListKind(kind)) return typeof value === 'string';
  return (
    Array.isArray(value) && value.every((item) => typeof item === 'string' && (kind === 'set' || !/[\r\n]/.test(item)))
  );
}

/** A checkbox for each known value, and for unknown ones that are set. */
function SetInput({ field, value, error, onChange }: FieldProps) {
  const about = useId();
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const known = field.choices ?? [];
  const others = chosen
    .filter((item) => !known.some(([choice]) => choice === item))
    .map((item) => [item, item] as const);
  return (
    <fieldset className={classes.choices} aria-describedby={about}>
      <legend>{field.label}</legend>
      <Text id={about} size="xs" c="dimmed">
        {field.about}
      </Text>
      {[...known, ...others].map(([choice, label]) => (
        <label key={choice} className={classes.choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            aria-invalid={error !== undefined || undefined}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, choice] : chosen.filter((item) => item !== choice))
            }
          />
          {label}
        </label>
      ))}
      <Problem text={error} />
    </fieldset>
  );
}

function FlagInput({ field, value, error, onChange }: FieldProps) {
  return (
    <div className={classes.choices}>
      <label className={classes.choice}>
        <input
          type="checkbox"
          checked={value === true}
          aria-invalid={error !== undefined || undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span>
          {field.label}
          {field.about !== '' && (
            <Text span size="xs" c="dimmed" display="block">
              {field.about}
            </Text>
          )}
        </span>
      </label>
      <Problem text={error} />
    </div>
  );
}

const Problem = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <Text size="xs" c="var(--mantine-color-error)">
      {text}
    </Text>
  );

/** Keeps the text as typed: reformatting would drop whitespace while the operator is typing. */
function JsonInput({ field, value, error, onChange }: FieldProps) {
  const [text, setText] = useState(
    () => textThatIsNotJson(value) ?? (hasContent(value) ? JSON.stringify(value, null, 2) : ''),
  );
  return (
    <JsonEditor
      label={field.label}
      description={field.about}
      value={text}
      error={error}
      onChange={(typed) => {
        setText(typed);
        onChange(jsonOrText(typed) ?? {});
      }}
    />
  );
}

const hasContent = (value: unknown): boolean => value !== undefined && value !== null && JSON.stringify(value) !== '{}';
