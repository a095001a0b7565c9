import { Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type JsonSchema, whole } from '../../../shared/json.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { identitySchemaQuery } from '../../api/identity-schemas.ts';
import { holders } from '../../deployment.ts';
import { numberText } from '../../lib/json.ts';
import { valueAt } from '../../record/member-changes.ts';
import { useRecord } from '../../record/tabs.tsx';
import { titleOf } from '../../record/traits.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Dimmed, Section } from '../../ui/layout.tsx';

export function TraitsTab() {
  const identity = useRecord(identityQuery);
  const { metadata_public, metadata_admin, schema_id } = identity;
  return (
    <Stack gap="md">
      <Section title="Traits" about={`Defined by the schema ${schema_id}. The person can view and change them.`}>
        <TraitList identity={identity} />
      </Section>
      <Metadata
        title="Public metadata"
        about="The person can view it; only administrators can change it."
        value={metadata_public}
      />
      <Metadata title="Admin metadata" about={aboutAdminMetadata()} value={metadata_admin} />
    </Stack>
  );
}

function aboutAdminMetadata(): string {
  const [readers, writers] = [holders(['identities.read']), holders(['upstreams.write'])];
  return readers === writers
    ? `Only ${writers} can view and change it.`
    : `Only ${readers} can view it, and only ${writers} can change it.`;
}

function Metadata({ title, about, value }: { title: string; about: string; value: unknown }) {
  const none = value === null || value === undefined;
  const text = JSON.stringify(value, null, 2);
  return (
    <Section title={title} about={about} actions={!none && <CopyButton what={title.toLowerCase()} read={() => text} />}>
      {none ? (
        <Dimmed>None.</Dimmed>
      ) : (
        <Code block tabIndex={0}>
          {text}
        </Code>
      )}
    </Section>
  );
}

/** Lists traits under their schema titles. Anything nested deeper than one level is formatted as JSON. */
export function TraitList({ identity }: { identity: Pick<Identity, 'traits' | 'schema_id'> }) {
  const { data: schema } = useQuery(identitySchemaQuery(identity.schema_id));
  const traits = formatTraits(identity.traits).map((trait) => ({ ...trait, label: traitLabel(schema, trait.steps) }));
  if (traits.length === 0) return <Dimmed>No traits.</Dimmed>;
  /** Traits with the same title are listed by path instead. */
  const isUnique = (label: string): boolean => traits.filter((trait) => trait.label === label).length === 1;
  return (
    <FactList
      facts={traits.map(({ steps, label, text, json }) => [
        isUnique(label) ? label : steps.join('.'),
        json ? (
          <Code key={steps.join('.')} block>
            {text}
          </Code>
        ) : (
          text
        ),
      ])}
    />
  );
}

function formatTraits(
  traits: Record<string, unknown>,
  parent?: string,
): { steps: string[]; text: string; json: boolean }[] {
  return Object.entries(traits).flatMap(([key, value]) => {
    const steps = parent === undefined ? [key] : [parent, key];
    if (typeof value === 'string') return { steps, text: value === '' ? '(empty)' : value, json: false };
    if (typeof value === 'boolean') return { steps, text: value ? 'yes' : 'no', json: false };
    const number = numberText(value);
    if (number !== undefined || value === null) return { steps, text: number ?? 'none', json: false };
    if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || numberText(item) !== undefined))
      return { steps, text: value.map((item) => numberText(item) ?? String(item)).join(', ') || 'none', json: false };
    if (!Array.isArray(value) && parent === undefined) return formatTraits(value as Record<string, unknown>, key);
    return { steps, text: JSON.stringify(value, null, 2), json: true };
  });
}

/** A trait's title in the schema, else its path: `['name', 'first']` is “First name”. */
export function traitLabel(schema: JsonSchema = {}, steps: readonly string[]): string {
  const trait = ['traits', ...steps].reduce(
    (parent, step) => whole(valueAt(parent.properties, [step]), schema),
    schema,
  );
  return titleOf(trait, steps.join('.'));
}
