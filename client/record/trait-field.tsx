import { ActionIcon, Button, Fieldset, Group, Input, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type JsonObject, type JsonSchema, membersOf, pick, texts, whole } from '../../shared/json.ts';
import { pointerTo } from '../lib/json.ts';
import { IconPlus } from '../ui/icons.tsx';
import { IconX } from '../ui/shell-icons.tsx';
import { sameJson } from './member-changes.ts';
import { type Problems, problemsAt } from './record-form.tsx';
import { descriptionOf, TraitInput, useProblem } from './trait-input.tsx';
import { DEPTH_MAX, labelsOf, traitKind, withTrait } from './traits.ts';

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
  if (kind === 'list') return <TraitList {...props} {...{ schema, label, required, error }} />;
  return <TraitInput {...{ kind, label, required, error, schema, root, value, onChange }} />;
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
        <Text size="xs" c="dimmed" role="status">
          Left out with this choice: {Object.keys(hidden).join(', ')}.
        </Text>
      )}
      {others.length > 0 && (
        <Text size="xs" c="dimmed">
          Without a field, kept unchanged: {others.join(', ')}. See the JSON view.
        </Text>
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
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => change([...rows, undefined])}
          >
            Add to {label}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
