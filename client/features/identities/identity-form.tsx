import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type JsonSchema, traitsIn } from '../../../shared/json.ts';
import { JsonEditor, jsonOrText, jsonText, pointersToNotJson } from '../../record/json-editor.tsx';
import { ProblemSummary, type Problems } from '../../record/record-form.tsx';
import { TraitFields } from '../../record/trait-field.tsx';
import { ExplainedProblem, OwnersContext, useProblem } from '../../record/trait-owners.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { StoredTextInput } from '../../ui/fields.tsx';
import { IconInfoCircle } from '../../ui/icons.tsx';
import classes from './identities.module.css';
import type { IdentityDraft } from './identity-draft.ts';
import { type IdentityFormState, isTaken } from './use-identity-form.ts';

interface SectionProps {
  draft: IdentityDraft;
  problems: Problems;
  change: (part: Partial<IdentityDraft>) => void;
}

/**
 * Traits by their schema (or only as JSON when the schema is unavailable), both kinds of metadata, and the external
 * id.
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
  const { draft, problems, change, failure, leaveDialog } = form;
  const taken = isTaken(failure);
  return (
    <form
      ref={form.form}
      noValidate
      aria-label={label}
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <OwnersContext value={form.owners}>
        <Stack gap="md">
          {form.restored && <Alert variant="light" title="Your unsaved changes were restored" />}
          <TraitsSection
            key={`traits ${form.version}`}
            schema={form.schema}
            draft={draft}
            problems={problems}
            change={change}
          />
          <MetadataSection draft={draft} problems={problems} change={change} />
          <ProblemSummary
            title={unsaved}
            problems={problems}
            nameOf={(pointer) => pointer.replace(/^\/(?:traits\/)?/, '').replaceAll('/', '.')}
            explain={(pointer, text) => <ExplainedProblem pointer={pointer} problem={text} />}
            sendAnyway={form.sendAnyway}
          />
          {form.notCheckedHere && (
            <Text size="sm" role="status">
              The traits were not checked here: this browser cannot evaluate their schema, or not in time. The identity
              service checks them.
            </Text>
          )}
          {failure !== undefined && (
            <FailurePanel error={failure} title={taken ? 'Taken by another identity' : unsaved} />
          )}
          {children}
        </Stack>
      </OwnersContext>
      {leaveDialog}
    </form>
  );
}

function MetadataSection({ draft, problems, change }: SectionProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Metadata">
      <Title order={2} size="h5" mb="sm">
        Metadata
      </Title>
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
          label="External id"
          description="This person’s id in another system. Leave empty for none."
          autoComplete="off"
          spellCheck={false}
          value={draft.externalId}
          error={useProblem('/external_id', problems['/external_id'])}
          onChange={(event) => change({ externalId: event.currentTarget.value })}
        />
      </Stack>
    </Paper>
  );
}

function TraitsSection({ schema, draft, problems, change }: SectionProps & { schema: JsonSchema | undefined }) {
  const [asJson, setAsJson] = useState(false);
  // Keeps the text as typed: reformatting would drop whitespace while the operator is typing.
  const [text, setText] = useState(() => jsonText(draft.traits));
  const json = asJson || schema === undefined;
  const broken = pointersToNotJson(draft.traits, '').length > 0;
  const traits = schema ? traitsIn(schema) : {};
  const show = (next: boolean): void => {
    if (next) setText(jsonText(draft.traits));
    setAsJson(next);
  };
  return (
    <Paper withBorder p="md" component="section" aria-label="Traits">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Traits
        </Title>
        {schema !== undefined && (
          <Button.Group aria-label="Edit the traits as">
            {[false, true].map((option) => (
              <Button
                key={String(option)}
                size="xs"
                variant={json === option ? 'filled' : 'default'}
                aria-pressed={json === option}
                // Invalid JSON cannot be shown in the form view.
                disabled={json !== option && broken}
                onClick={() => show(option)}
              >
                {option ? 'JSON' : 'Form'}
              </Button>
            ))}
          </Button.Group>
        )}
      </Group>
      {schema === undefined && (
        <Alert variant="default" mb="sm" icon={<IconInfoCircle size={24} />}>
          The schema is unavailable, so the traits are shown as JSON. The identity service checks them.
        </Alert>
      )}
      {json ? (
        <JsonEditor
          label="Traits as JSON"
          value={text}
          error={jsonProblem(problems)}
          onChange={(typed) => {
            setText(typed);
            change({ traits: jsonOrText(typed) ?? {} });
          }}
        />
      ) : (
        <TraitFields
          // Another schema has other fields; their values stay.
          key={JSON.stringify(traits)}
          schema={traits}
          root={schema}
          pointer="/traits"
          value={draft.traits}
          problems={problems}
          onChange={(value) => change({ traits: value })}
        />
      )}
    </Paper>
  );
}

const inTraits = ([pointer]: [string, string]): boolean => pointer === '/traits' || pointer.startsWith('/traits/');

/** In the single JSON field, each problem is prefixed with its member. */
function jsonProblem(problems: Problems): string | undefined {
  const found = Object.entries(problems).filter(inTraits);
  return found.length === 0
    ? undefined
    : found.map(([pointer, text]) => `${pointer.slice(8)} ${text}`.trim()).join(' ');
}
