import type { ReactNode } from 'react';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { NativeSelect, TextInput } from '../../ui/elements/field.tsx';
import { JsonEditor } from '../form/json-editor.tsx';
import { jsonOrText, jsonText } from '../form/not-json.ts';
import { traitFromText } from './trait-from-text.ts';
import { choicesOf, type TraitKind } from './trait-kind.ts';

interface FieldProps {
  label: string;
  required: boolean;
  error: ReactNode;
  schema: JsonSchema;
  value: unknown;
  /** Undefined removes the trait. */
  onChange: (value: unknown) => void;
}

/** The field of a trait without members. */
export function TraitInput(props: FieldProps & { kind: Exclude<TraitKind, 'object' | 'list'> }) {
  const { kind, schema, value, onChange, ...rest } = props;
  const field = typeof schema.description === 'string' ? { ...rest, description: schema.description } : rest;
  switch (kind) {
    case 'choice':
      return <ChoiceInput {...field} schema={schema} value={value} onChange={onChange} />;
    case 'boolean':
      return (
        <NativeSelect
          {...field}
          value={value === true ? 'yes' : value === false ? 'no' : ''}
          data={[
            { value: '', label: 'Not set' },
            { value: 'yes', label: 'Yes' },
            { value: 'no', label: 'No' },
          ]}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? undefined : currentTarget.value === 'yes')
          }
        />
      );
    case 'json':
      return <JsonEditor {...field} value={jsonText(value)} onChange={(text) => onChange(jsonOrText(text))} />;
    default:
      return (
        <TextInput
          {...field}
          {...inputTypeOf(schema, kind)}
          autoComplete="off"
          spellCheck={false}
          value={value === undefined || value === null ? '' : String(value)}
          onChange={({ currentTarget }) => onChange(traitFromText(currentTarget.value, kind))}
        />
      );
  }
}

function ChoiceInput(props: FieldProps) {
  const { schema, value, onChange, ...field } = props;
  const choices = choicesOf(schema);
  return (
    <NativeSelect
      {...field}
      value={String(choices.findIndex((choice) => choice.value === value))}
      data={[
        { value: '-1', label: 'Not set' },
        ...choices.map(({ label }, index) => ({ value: String(index), label })),
      ]}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)]?.value)}
    />
  );
}

function inputTypeOf({ format }: JsonSchema, kind: 'text' | 'number') {
  if (kind === 'number') return { inputMode: 'decimal' as const };
  if (format === 'date') return { type: 'date' };
  if (format === 'email') return { inputMode: 'email' as const };
  return {};
}
