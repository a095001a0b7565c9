import { ActionIcon, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isObject, type JsonObject, type JsonSchema, whole } from '../../shared/json.ts';
import { pointerTo } from '../lib/json.ts';
import { IconPlus } from '../ui/icons.tsx';
import { IconX } from '../ui/shell-icons.tsx';
import { withMember } from './member-changes.ts';
import type { Problems } from './record-form.tsx';
import { TraitInput, useProblem } from './trait-input.tsx';
import { labelsOf, traitKind } from './trait-kind.ts';

/** Maximum nesting of field groups; deeper members are edited as JSON. */
const DEPTH_MAX = 4;

interface TraitProps {
  schema: JsonSchema;
  /** The whole schema document, for resolving references. */
  root: JsonSchema;
  pointer: string;
  value: unknown;
  problems: Problems;
  /** The schemas of the enclosing objects, outermost first. */
  within?: readonly JsonSchema[];
  /** Undefined removes the member. */
  onChange: (value: unknown) => void;
}

/**
 * The field of a trait. Its kind depends on the schema and the initial value only, so that it never changes while the
 * operator types.
 */
function TraitField({ label, required, ...props }: TraitProps & { label: string; required: boolean }) {
  const { schema, root, pointer, value, problems, within = [], onChange } = props;
  const [kind] = useState(() => {
    const simple = traitKind(schema, value, root);
    // Stops recursive schemas.
    return simple === 'object' && (within.includes(schema) || within.length > DEPTH_MAX) ? 'json' : simple;
  });
  const error = useProblem(pointer, problems[pointer]);
  if (kind === 'object') {
    return (
      <Fieldset legend={label}>
        <TraitFields
          {...props}
          // Removes an empty object unless it is required.
          onChange={(object) => onChange(!required && isObject(object) && isEmpty(object) ? undefined : object)}
        />
      </Fieldset>
    );
  }
  if (kind === 'list') return <TraitList {...props} label={label} required={required} error={error} />;
  return <TraitInput {...{ kind, label, required, error, schema, root, value, onChange }} />;
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

/** The members of an object, from its schema. Members outside the schema stay unchanged. */
export function TraitFields({ schema, root, pointer, problems, within = [], onChange, ...props }: TraitProps) {
  const value = isObject(props.value) ? props.value : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(properties).map(([key, property]) => [key, whole(property, root)] as const);
  const labels = labelsOf(members);
  const others = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  return (
    <Stack gap="md">
      {members.map(([key, member], index) => {
        return (
          <TraitField
            key={key}
            label={labels[index] ?? key}
            required={required.includes(key)}
            schema={member}
            root={root}
            pointer={pointerTo(pointer, key)}
            // Not what an object inherits: a trait may be named `constructor`.
            value={Object.hasOwn(value, key) ? value[key] : undefined}
            problems={problems}
            within={[...within, schema]}
            onChange={(changed) => onChange(withMember(value, [key], changed))}
          />
        );
      })}
      {others.length > 0 && (
        <Text size="xs" c="dimmed">
          Not in the schema, kept unchanged: {others.join(', ')}. See the JSON view.
        </Text>
      )}
    </Stack>
  );
}

/** A list of simple values, with one field each. */
function TraitList(props: TraitProps & { label: string; required: boolean; error: ReactNode }) {
  const { label, required, schema, root, pointer, problems, onChange } = props;
  const items = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {typeof schema.description === 'string' && (
          <Text size="xs" c="dimmed">
            {schema.description}
          </Text>
        )}
        {items.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity except their position
          <Group key={`${items.length} ${index}`} gap={4} wrap="nowrap" align="flex-end">
            <div style={{ flex: 1 }}>
              <TraitField
                label={`${label} ${index + 1}`}
                required={false}
                schema={whole(schema.items, root)}
                root={root}
                pointer={pointerTo(pointer, index)}
                value={entry}
                problems={problems}
                onChange={(changed) => onChange(items.with(index, changed ?? ''))}
              />
            </div>
            <ActionIcon
              variant="subtle"
              aria-label={`Remove ${label} ${index + 1}`}
              title="Remove"
              onClick={() => onChange(items.length === 1 && !required ? undefined : items.toSpliced(index, 1))}
            >
              <IconX />
            </ActionIcon>
          </Group>
        ))}
        {props.error !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {props.error}
          </Text>
        )}
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...items, ''])}
          >
            Add to {label}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
