import { Checkbox, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../../shared/json.ts';
import { invalidJsonText, MembersAsJson } from '../../record/json-editor.tsx';
import { sameJson } from '../../record/member-changes.ts';
import { StoredTextInput } from '../../ui/fields.tsx';
import { type ClientField, isListKind } from './client-fields.ts';
import classes from './oauth-clients.module.css';

interface FieldProps {
  field: ClientField;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

const ROWS_MAX = 10;

export function ClientFieldInput(props: FieldProps) {
  const { field, value, error, onChange } = props;
  const common = { label: field.label, description: field.about || undefined, error };
  // Decided once: the input must not be replaced while the operator types.
  const [fits] = useState(() => fitsInput(field.kind, value));
  if (!fits) return <JsonInput {...props} />;
  switch (field.kind) {
    case 'text':
    case 'address':
    case 'scope':
    case 'duration':
      return (
        <StoredTextInput
          {...common}
          autoCapitalize="none"
          placeholder={field.kind === 'duration' ? "The server's default" : undefined}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'addresses':
    case 'origins':
    case 'lines': {
      const lines = texts(value);
      return (
        <Textarea
          {...common}
          autoCapitalize="none"
          classNames={{ input: classes.lines }}
          rows={Math.min(ROWS_MAX, lines.length + 1)}
          value={lines.join('\n')}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' ? [] : text.split('\n'))}
        />
      );
    }
    case 'choice': {
      const current = typeof value === 'string' ? value : '';
      const isOffered = field.choices.some(([choice]) => choice === current);
      const choices = isOffered ? field.choices : [[current, current || 'Not set'] as const, ...field.choices];
      return (
        <NativeSelect
          {...common}
          value={current}
          data={choices.map(([choice, label]) => ({ value: choice, label }))}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    }
    case 'set': {
      const chosen = texts(value);
      const others = chosen.filter((item) => !field.choices.some(([choice]) => choice === item));
      return (
        <Checkbox.Group {...common} value={chosen} onChange={onChange}>
          <Stack gap="xs" mt="xs">
            {[...field.choices, ...others.map((item) => [item, item] as const)].map(([choice, label]) => (
              <Checkbox key={choice} value={choice} label={label} aria-invalid={error !== undefined || undefined} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    }
    case 'flag':
      return (
        <Checkbox
          {...common}
          aria-invalid={error !== undefined || undefined}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'json':
      return <JsonInput {...props} />;
  }
}

/** Whether the input can edit a stored value without altering it. Other values are edited as JSON. */
function fitsInput(kind: ClientField['kind'], value: unknown): boolean {
  if (kind === 'json' || value === undefined || value === null) return true;
  if (kind === 'flag') return typeof value === 'boolean';
  if (!isListKind(kind)) return typeof value === 'string';
  return (
    Array.isArray(value) && value.every((item) => typeof item === 'string' && (kind === 'set' || !/[\r\n]/.test(item)))
  );
}

const JsonInput = ({ field, value, error, onChange }: FieldProps) => (
  <MembersAsJson
    label={field.label}
    description={field.about}
    pointer=""
    value={sameJson(value, {}) && invalidJsonText(value) === undefined ? undefined : value}
    problems={error === undefined ? {} : { '': error }}
    onChange={onChange}
  />
);
