import { Alert, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type JsonSchema, keysOf, membersOf, whole } from '../../../shared/json.ts';
import { findByExternalId } from '../../api/identities.ts';
import { findByIdentifier } from '../../api/identity-search.ts';
import { displayName } from '../../lib/identity-name.ts';
import { pointerTo } from '../../lib/json.ts';
import { FormOrJson, JsonEditor, MembersAsJson } from '../../record/json-editor.tsx';
import { memberChanges, valueAt } from '../../record/member-changes.ts';
import {
  DraftRefused,
  isTaken,
  type Problems,
  problemsOfChanges,
  RecordForm,
  type RecordFormKind,
  useRecordForm,
} from '../../record/record-form.tsx';
import type { Objection } from '../../record/schema-check.ts';
import {
  ExplainedProblem,
  type Owner,
  type Owners,
  OwnersContext,
  TraitFields,
  useProblem,
} from '../../record/trait-field.tsx';
import { checkTraits, identifiersIn, problemsIn, type TraitsCheck } from '../../record/traits-check.ts';
import { StoredTextInput } from '../../ui/fields.tsx';
import { IconInfoCircle } from '../../ui/icons.tsx';
import { Section } from '../../ui/layout.tsx';
import {
  draftOf,
  type IdentityDocument,
  type IdentityDraft,
  type IdentityMembers,
  membersIn,
  newDraft,
  sameDraft,
} from './identity-draft.ts';

interface SectionProps {
  draft: IdentityDraft;
  problems: Problems;
  change: (part: Partial<IdentityDraft>) => void;
}

/**
 * Edits the traits, both kinds of metadata and the external id. Without a schema, traits are edited as JSON.
 * @param unsaved title of an error: `Not created`
 */
export function IdentityForm(props: { form: IdentityFormState; label: string; unsaved: string; children: ReactNode }) {
  const { form } = props;
  const section = { draft: form.draft, problems: form.problems, change: form.change };
  return (
    <OwnersContext value={form.owners}>
      <RecordForm
        form={form}
        label={props.label}
        what="identity"
        unsaved={props.unsaved}
        nameOf={(pointer) => pointer.replace(/^\/(?:traits\/)?/, '').replaceAll('/', '.')}
        explain={(pointer, text) => <ExplainedProblem pointer={pointer} problem={text} />}
        fields={
          <>
            <TraitsSection key={`traits ${form.version}`} schema={form.schema} {...section} />
            <MetadataSection {...section} />
          </>
        }
      >
        {form.isUnchecked && (
          <Text size="sm" role="status">
            This browser could not check the traits against their schema, or not in time. The identity service checks
            them.
          </Text>
        )}
        {props.children}
      </RecordForm>
    </OwnersContext>
  );
}

function MetadataSection({ draft, problems, change }: SectionProps) {
  return (
    <Section title="Metadata">
      <Stack gap="md">
        <JsonEditor
          label="Public metadata"
          description="JSON, visible to the person. Leave empty for none."
          value={draft.metadataPublic}
          error={problems['/metadata_public']}
          onChange={(metadataPublic) => change({ metadataPublic })}
        />
        <JsonEditor
          label="Admin metadata"
          description="JSON, visible to administrators only. Leave empty for none."
          value={draft.metadataAdmin}
          error={problems['/metadata_admin']}
          onChange={(metadataAdmin) => change({ metadataAdmin })}
        />
        <StoredTextInput
          label="External ID"
          description="This person’s ID in another system. Leave empty for none."
          value={draft.externalId}
          error={useProblem('/external_id', problems['/external_id'])}
          onChange={(event) => change({ externalId: event.currentTarget.value })}
        />
      </Stack>
    </Section>
  );
}

function TraitsSection({ schema, draft, problems, change }: SectionProps & { schema: JsonSchema | undefined }) {
  const [asJson, setAsJson] = useState(false);
  const { traits } = membersOf(schema?.properties);
  const onChange = (value: unknown): void => change({ traits: value });
  return (
    <Section
      title="Traits"
      actions={
        schema !== undefined && (
          <FormOrJson label="Edit the traits as" json={asJson} value={draft.traits} onChange={setAsJson} />
        )
      }
    >
      {schema === undefined && (
        <Alert variant="default" mb="sm" icon={<IconInfoCircle size={24} />}>
          The schema is unavailable, so the traits are shown as JSON. The identity service checks them.
        </Alert>
      )}
      {asJson || schema === undefined ? (
        <MembersAsJson
          label="Traits as JSON"
          pointer="/traits"
          value={draft.traits}
          problems={problems}
          onChange={onChange}
        />
      ) : (
        <TraitFields
          // Another schema has other fields, so remount them. The values stay in the draft.
          key={JSON.stringify(traits)}
          schema={traits}
          root={schema}
          pointer="/traits"
          value={draft.traits}
          problems={problems}
          onChange={onChange}
        />
      )}
    </Section>
  );
}

export type IdentityFormState = ReturnType<typeof useIdentityForm>;

const identityForm = (schema: JsonSchema | undefined): RecordFormKind<IdentityDocument, IdentityDraft> => ({
  storedAs: 'identities.draft',
  draftOf: (base) => (base === null ? newDraft(schema) : draftOf(base)),
  same: sameDraft,
  withoutSecrets: (draft) => draft,
  problemsIn,
});

/**
 * @param of the id of the identity, or the schema of a new identity
 * @param start the stored version; null for a new identity
 * @param refetchSchema bypasses the cache; undefined if the schema is unavailable
 * @param save rejects with the error to display
 */
export function useIdentityForm(options: {
  of: string;
  start: IdentityDocument | null;
  schema: JsonSchema | undefined;
  refetchSchema: () => Promise<JsonSchema | undefined>;
  save: (members: IdentityMembers, base: IdentityDocument | null) => Promise<void>;
}) {
  const { of } = options;
  const [changed, setChanged] = useState<JsonSchema>();
  const schema = changed ?? options.schema;
  const [owners, setOwners] = useState<Owners>({});
  const [isUnchecked, setUnchecked] = useState(false);
  const form = useRecordForm(identityForm(options.schema), {
    of,
    start: options.start,
    async save(draft, base, unchecked) {
      setOwners({});
      const members = membersIn(draft, base?.external_id, schema);
      const found = unchecked || schema === undefined ? {} : await schemaProblems(schema, members.traits, base?.traits);
      setUnchecked(found === undefined);
      if (found !== undefined && Object.keys(found).length > 0) throw new DraftRefused(found, false);
      await options.save(members, base);
    },
    async explain(error, named, draft, base) {
      // A problem without a field means that the schema has changed, so load the new one.
      if (schema !== undefined && Object.keys(named ?? {}).some((pointer) => !hasField(schema, pointer))) {
        const now = await options.refetchSchema().catch(() => undefined);
        if (now !== undefined) setChanged(now);
      }
      if (named !== undefined || !isTaken(error)) return named;
      const found = await findOwners(membersIn(draft, base?.external_id, schema), schema, of);
      setOwners(found);
      return Object.keys(found).length === 0
        ? undefined
        : Object.fromEntries(Object.keys(found).map((pointer) => [pointer, 'Taken by another identity.']));
    },
  });
  return {
    ...form,
    schema,
    owners,
    /** The submitted traits could not be checked against the schema in this browser; only Kratos can validate them. */
    isUnchecked,
    change(part: Partial<IdentityDraft>) {
      form.change(part);
      setOwners({});
    },
    rebase: (now: IdentityDocument, edited: IdentityDocument) => form.rebase(now, draftOf(edited)),
  };
}

/** Whether the form has a field for a member; the traits as a whole have none. */
function hasField(schema: JsonSchema, pointer: string): boolean {
  const [member, ...steps] = keysOf(pointer);
  if (member !== 'traits') return true;
  let current = membersOf(schema.properties).traits;
  for (const step of steps) {
    const { properties, items } = whole(current, schema);
    current = valueAt(properties, [step]) ?? (/^\d+$/.test(step) && items);
  }
  return steps.length > 0 && Boolean(current);
}

/**
 * The first schema violation of each trait; undefined if this browser cannot check the traits.
 * @param stored the stored traits, whose violations do not count unless the trait changes; undefined for a new identity
 */
export async function schemaProblems(
  schema: JsonSchema,
  traits: unknown,
  stored?: unknown,
  check: TraitsCheck = checkTraits,
): Promise<Problems | undefined> {
  const versions = stored === undefined ? [traits] : [traits, stored];
  const [found, before = []] = await check(
    schema,
    versions.map((version) => JSON.stringify(version)),
  );
  if (found === undefined) return undefined;
  return problemsOfChanges(
    schemaProblemsIn(found),
    schemaProblemsIn(before),
    memberChanges(stored ?? {}, traits, '/traits'),
  );
}

function schemaProblemsIn(objections: readonly Objection[]): Problems {
  const problems: Record<string, string> = {};
  for (const { path, words } of objections) problems[path.reduce(pointerTo, '')] ??= `This ${words}.`;
  return problems;
}

/** Each lookup is a request. Looking up a login identifier also leaves an audit record. */
const LOOKUPS_MAX = 6;

/**
 * Looks up each identifier, since Kratos reports a conflict without naming the identifier.
 * @param own the id of the identity being edited
 */
async function findOwners(
  members: { traits: unknown; external_id?: string },
  schema: JsonSchema | undefined,
  own?: string,
): Promise<Owners> {
  const lookups: [pointer: string, find: () => Promise<Owner | undefined>][] = identifiersIn(
    members.traits,
    membersOf(schema?.properties).traits,
    schema ?? {},
  ).map(([pointer, identifier]) => [pointer, async () => asOwner((await findByIdentifier(identifier))[0])]);
  const { external_id: externalId } = members;
  if (externalId !== undefined) lookups.push(['/external_id', async () => asOwner(await findByExternalId(externalId))]);
  const found = await Promise.all(
    lookups.slice(0, LOOKUPS_MAX).map(async ([pointer, find]) => {
      const owner = await find().catch(() => undefined);
      return owner === undefined || owner.id === own ? [] : [[pointer, owner] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

const asOwner = (identity: { id: string; traits: Record<string, unknown> } | undefined): Owner | undefined =>
  identity && { id: identity.id, name: displayName(identity) };
