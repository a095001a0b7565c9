import { NativeSelect } from '@mantine/core';
import { createContext, type ReactNode, use, useId, useState } from 'react';
import type { JsonSchema } from '../../shared/json.ts';
import { numberIn, numberText } from '../lib/json.ts';
import { StoredTextInput } from '../ui/fields.tsx';
import { JsonEditor, jsonOrText, jsonText } from './json-editor.tsx';
import { sameJson } from './member-changes.ts';
import { choicesOf, exampleOf, labelOf, suggestionsOf, type TraitKind } from './traits.ts';

/**
 * Converts the text of a field to a trait. In a number field, text that is not a number stays text and fails
 * validation.
 * @param stored the stored value, whose line breaks are kept: a text area converts them all to line feeds
 */
export function traitFromText(text: string, kind: 'text' | 'number', stored?: unknown): unknown {
  if (text === '') return undefined;
  if (kind === 'number') return numberIn(text.trim()) ?? text;
  return typeof stored === 'string' && stored.includes('\r') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}

interface FieldProps {
  label: string;
  required: boolean;
  error: ReactNode;
  schema: JsonSchema;
  /** The whole schema document, for resolving references. */
  root: JsonSchema;
  value: unknown;
  /** Undefined removes the trait. */
  onChange: (value: unknown) => void;
}

/** The field of a trait without members. */
export function TraitInput(props: FieldProps & { kind: Exclude<TraitKind, 'object' | 'list'> }) {
  const { kind, schema, root, value, onChange, ...rest } = props;
  const choices = choicesOf(kind === 'boolean' ? { enum: [true, false] } : schema, root);
  const field = { ...rest, description: descriptionOf(schema, root, kind) };
  switch (kind) {
    case 'choice':
    case 'boolean':
      return <ChoiceInput {...field} choices={choices} value={value} onChange={onChange} />;
    case 'json':
      return <JsonEditor {...field} value={jsonText(value)} onChange={(text) => onChange(jsonOrText(text))} />;
    default:
      return <TypedInput {...field} kind={kind} schema={schema} root={root} value={value} onChange={onChange} />;
  }
}

/** What a trait is, and what can be entered. */
export function descriptionOf(schema: JsonSchema, root: JsonSchema, kind: TraitKind): string | undefined {
  const { description, default: standard = null } = schema;
  const chosen = choicesOf(schema, root).find(({ value }) => sameJson(value, standard));
  const parts = [
    typeof description === 'string' && description,
    standard !== null && `Default: ${chosen?.label ?? labelOf(standard)}`,
    kind === 'json' && `Enter JSON, for example ${JSON.stringify(exampleOf(schema, root))}`,
  ];
  return parts.filter(Boolean).join(' · ') || undefined;
}

/** Preserves the text as typed, since a number can be written in several ways. */
function TypedInput(props: FieldProps & { kind: 'text' | 'number' }) {
  const { kind, schema, root, value, onChange, ...field } = props;
  const [stored] = useState(value);
  const [text, setText] = useState(numberText(value) ?? (typeof value === 'string' ? value : ''));
  const [type] = useState(inputTypeOf(schema, kind, text));
  const list = useId();
  const suggestions = suggestionsOf(schema, root);
  return (
    <>
      <StoredTextInput
        {...field}
        {...type}
        isMultiline={kind === 'text' && suggestions.length === 0 && isProse(schema)}
        list={suggestions.length > 0 ? list : undefined}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          onChange(traitFromText(currentTarget.value, kind, stored));
        }}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}

function ChoiceInput(props: Omit<FieldProps, 'schema' | 'root'> & { choices: ReturnType<typeof choicesOf> }) {
  const { choices, value, onChange, ...field } = props;
  return (
    <NativeSelect
      {...field}
      value={String(choices.findIndex((choice) => sameJson(choice.value, value)))}
      data={[
        { value: '-1', label: 'Not set' },
        ...choices.map(({ label }, index) => ({ value: String(index), label })),
      ]}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)]?.value)}
    />
  );
}

/** Text of any form, which may have several lines. */
const isProse = ({ format, pattern, 'ory.sh/kratos': extension }: JsonSchema): boolean =>
  [format, pattern, extension].every((rule) => rule === undefined);

/** A date field would appear empty for an invalid date, so such texts get a text field. */
function inputTypeOf({ format }: JsonSchema, kind: 'text' | 'number', text: string) {
  if (kind === 'number') return { inputMode: 'decimal' as const };
  if (format === 'date' && (text === '' || isDate(text))) return { type: 'date' };
  if (format === 'email') return { inputMode: 'email' as const };
  return {};
}

const isDate = (text: string): boolean =>
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** The identity that already has a unique value. */
export interface Owner {
  id: string;
  name: string;
}

/** By JSON pointer: `/traits/email`, `/external_id`. */
export type Owners = Readonly<Record<string, Owner>>;

/** Owners of the conflicting values in the form. */
export const OwnersContext = createContext<Owners>({});

/** A problem with a link to the value's owner. The link opens a new tab, to protect the draft. */
export function useProblem(pointer: string, problem: string | undefined): ReactNode {
  const owner = use(OwnersContext)[pointer];
  if (problem === undefined || owner === undefined) return problem;
  return (
    <>
      {problem}{' '}
      <a href={`/identities/${owner.id}`} target="_blank" rel="noopener">
        Used by <bdi>{owner.name}</bdi>
      </a>
    </>
  );
}

/** `useProblem` as a component, for problems without a field. */
export const ExplainedProblem = ({ pointer, problem }: { pointer: string; problem: string }) =>
  useProblem(pointer, problem);
