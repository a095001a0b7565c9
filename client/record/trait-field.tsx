import { ActionIcon, Fieldset, Group, Input, NativeSelect, Stack } from '@mantine/core';
import { createContext, type ReactNode, use, useId, useState } from 'react';
import { type JsonObject, type JsonSchema, membersOf, pick, texts, whole } from '../../shared/json.ts';
import { numberIn, numberText, pointerTo } from '../lib/json.ts';
import { SmallButton } from '../ui/buttons.tsx';
import { StoredTextInput } from '../ui/fields.tsx';
import { IconPlus } from '../ui/icons.tsx';
import { Dimmed } from '../ui/layout.tsx';
import { IconX } from '../ui/shell-icons.tsx';
import { JsonEditor, jsonOrText, jsonText } from './json-editor.tsx';
import { sameJson } from './member-changes.ts';
import { type Problems, problemsAt } from './record-form.tsx';
import {
  choicesOf,
  DEPTH_MAX,
  exampleOf,
  labelOf,
  labelsOf,
  suggestionsOf,
  type TraitKind,
  traitKind,
  withTrait,
} from './traits.ts';

interface TraitProps {
  schema: unknown;
  /** The whole schema document, for resolving references. */
  root: JsonSchema;
  pointer: string;
  value: unknown;
  problems: Problems;
  /** The schemas of the enclosing objects, outermost first. */
  within?: readonly unknown[];
  /** Undefined removes the member. */
  onChange: (value: unknown) => void;
}

/**
 * The field of a trait. Its kind depends on the schema and the initial value only, so that it never changes while the
 * operator types.
 */
function TraitField({ label, required, ...props }: TraitProps & { label: string; required: boolean }) {
  const { root, pointer, value, problems, within = [], onChange } = props;
  const schema = whole(props.schema, root);
  const [kind] = useState(() => {
    const simple = traitKind(schema, value, root);
    // Stops recursive schemas.
    return simple === 'object' && (within.includes(props.schema) || within.length > DEPTH_MAX) ? 'json' : simple;
  });
  // A JSON field also has the problems of the members in it.
  const own = kind === 'json' ? problemsAt(problems, pointer).map(([, text]) => text) : [problems[pointer]];
  const error = useProblem(pointer, own.filter(Boolean).join(' ') || undefined);
  if (kind === 'object') {
    return (
      <Fieldset legend={label}>
        <TraitFields
          {...props}
          // Removes an empty object unless it is required.
          onChange={(object) => onChange(!required && sameJson(object, {}) ? undefined : object)}
        />
        {error !== undefined && <Input.Error>{error}</Input.Error>}
      </Fieldset>
    );
  }
  if (kind === 'list') return <TraitList {...props} schema={schema} label={label} required={required} error={error} />;
  const field = { label, required, error, description: descriptionOf(schema, root, kind), value, onChange };
  if (kind === 'json')
    return <JsonEditor {...field} value={jsonText(value)} onChange={(text) => onChange(jsonOrText(text))} />;
  if (kind === 'text' || kind === 'number') return <TypedInput {...field} kind={kind} schema={schema} root={root} />;
  return <ChoiceInput {...field} choices={choicesOf(kind === 'boolean' ? { enum: [true, false] } : schema, root)} />;
}

/** The members of an object, from its schema and the branches that its value chooses. */
export function TraitFields({ schema, root, pointer, problems, within = [], ...props }: TraitProps) {
  const value = membersOf(props.value);
  const [start] = useState(value);
  const [hidden, setHidden] = useState<JsonObject>({});
  const { properties, required } = whole(schema, root, value);
  const members = Object.entries(membersOf(properties)).map(([key, one]) => [key, whole(one, root), one] as const);
  const labels = labelsOf(members);
  const others = Object.keys(value).filter((key) => !members.some(([name]) => name === key));
  return (
    <Stack gap="md">
      {members.map(([key, member, one], index) => (
        <TraitField
          // Another branch may have another kind of field for it.
          key={`${key} ${traitKind(member, undefined, root)}`}
          label={labels[index] ?? key}
          required={texts(required).includes(key)}
          schema={one}
          root={root}
          pointer={pointerTo(pointer, key)}
          // Not what an object inherits: a trait may be named `constructor`.
          value={Object.hasOwn(value, key) ? value[key] : undefined}
          problems={problems}
          within={[...within, schema]}
          onChange={(changed) => {
            const next = withTrait(schema, root, { start, value, hidden }, [key, changed]);
            setHidden(pick({ ...hidden, ...value }, (name) => name !== key && !Object.hasOwn(next, name)));
            props.onChange(next);
          }}
        />
      ))}
      {Object.keys(hidden).length > 0 && (
        <Dimmed size="xs" role="status">
          Left out with this choice: {Object.keys(hidden).join(', ')}.
        </Dimmed>
      )}
      {others.length > 0 && (
        <Dimmed size="xs">Without a field, kept unchanged: {others.join(', ')}. See the JSON view.</Dimmed>
      )}
    </Stack>
  );
}

/** A list of simple values, with one field each. A row without a value is not part of the list. */
function TraitList(props: TraitProps & { schema: JsonSchema; label: string; required: boolean; error: ReactNode }) {
  const { label, required, schema, root, pointer, problems, onChange } = props;
  const description = descriptionOf(schema, root, 'list');
  const [rows, setRows] = useState<readonly unknown[]>(Array.isArray(props.value) ? props.value : []);
  const change = (next: readonly unknown[]): void => {
    setRows(next);
    const items = next.filter((row) => row !== undefined);
    onChange(items.length === 0 && !required ? undefined : items);
  };
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {description !== undefined && <Input.Description>{description}</Input.Description>}
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their position
          <Group key={`${rows.length} ${index}`} gap={4} wrap="nowrap" align="flex-end">
            <div style={{ flex: 1 }}>
              <TraitField
                label={`${label} ${index + 1}`}
                required={false}
                schema={schema.items}
                root={root}
                pointer={pointerTo(pointer, rows.slice(0, index).filter((one) => one !== undefined).length)}
                value={row}
                problems={row === undefined ? {} : problems}
                onChange={(changed) => change(rows.with(index, changed))}
              />
            </div>
            <ActionIcon
              variant="subtle"
              aria-label={`Remove ${label} ${index + 1}`}
              title="Remove"
              onClick={() => change(rows.toSpliced(index, 1))}
            >
              <IconX />
            </ActionIcon>
          </Group>
        ))}
        {props.error !== undefined && <Input.Error>{props.error}</Input.Error>}
        <div>
          <SmallButton leftSection={<IconPlus size={14} />} onClick={() => change([...rows, undefined])}>
            Add to {label}
          </SmallButton>
        </div>
      </Stack>
    </Fieldset>
  );
}

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

interface FieldProps extends Pick<TraitProps, 'root' | 'value' | 'onChange'> {
  label: string;
  description: string | undefined;
  required: boolean;
  error: ReactNode;
  schema: JsonSchema;
}

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
