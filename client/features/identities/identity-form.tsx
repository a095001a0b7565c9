import { Alert, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type JsonSchema, membersOf } from '../../../shared/json.ts';
import { FormOrJson, JsonEditor, MembersAsJson } from '../../record/json-editor.tsx';
import { type Problems, RecordForm } from '../../record/record-form.tsx';
import { TraitFields } from '../../record/trait-field.tsx';
import { ExplainedProblem, OwnersContext, useProblem } from '../../record/trait-input.tsx';
import { StoredTextInput } from '../../ui/fields.tsx';
import { IconInfoCircle } from '../../ui/icons.tsx';
import { Section } from '../../ui/layout.tsx';
import type { IdentityDraft } from './identity-draft.ts';
import type { IdentityFormState } from './use-identity-form.ts';

interface SectionProps {
  draft: IdentityDraft;
  problems: Problems;
  change: (part: Partial<IdentityDraft>) => void;
}

/**
 * Edits the traits, both kinds of metadata and the external id. Without a schema, traits are edited as JSON.
 * @param unsaved title of an error: `Not created`
 */
export function IdentityForm({
  form,
  label,
  unsaved,
  children,
}: {
  form: IdentityFormState;
  label: string;
  unsaved: string;
  children: ReactNode;
}) {
  const section = { draft: form.draft, problems: form.problems, change: form.change };
  return (
    <OwnersContext value={form.owners}>
      <RecordForm
        form={form}
        label={label}
        what="identity"
        unsaved={unsaved}
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
        {children}
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
