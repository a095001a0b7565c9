import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { JsonSchema } from '../../../shared/json.ts';
import { createIdentity, identitiesChanged } from '../../api/identities.ts';
import {
  type IdentitySchema,
  identitySchemasQuery,
  rememberedSchema,
  rememberSchema,
  type SchemaList,
} from '../../api/identity-schemas.ts';
import { isInDoubt, reworded } from '../../api/request.ts';
import { shortName } from '../../lib/identity-name.ts';
import { FormButtons, NewRecordPage } from '../../record/record-form.tsx';
import { SchemasIncomplete } from '../../record/schemas-incomplete.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { toast } from '../../ui/toasts.tsx';
import { IdentityForm, useIdentityForm } from './identity-form.tsx';

const route = getRouteApi('/signed-in/identities/new');

export const NewIdentityPage = () => (
  <NewRecordPage
    title="New identity"
    back={{ to: '/identities', label: 'Identities' }}
    about="New identities have no password. To let the person set one, create a recovery code or link on the identity’s page afterwards."
  >
    <WithSchemas />
  </NewRecordPage>
);

function WithSchemas() {
  const { data, error, refetch } = useQuery(identitySchemasQuery);
  if (data !== undefined) return <WithChosenSchema {...data} />;
  if (error === null) return <LoadingRows label="Loading the schemas" height={320} />;
  return (
    <WithTypedSchema>
      <FailurePanel error={error} title="The schemas are unavailable" onRetry={() => void refetch()} />
    </WithTypedSchema>
  );
}

/** Kratos does not say which schema is the default, so the operator chooses if there are several. */
function WithChosenSchema(list: SchemaList) {
  const { schemas } = list;
  const { schema: inAddress } = route.useSearch();
  const navigate = route.useNavigate();
  const [remembered] = useState(() => rememberedSchema(schemas) ?? schemas[0]?.id);
  const chosen = schemas.find(({ id }) => id === (inAddress ?? remembered));
  return (
    <>
      <SchemasIncomplete {...list} />
      {(schemas.length !== 1 || chosen === undefined) && (
        <NativeSelect
          label="Schema"
          description="Determines which traits the identity has."
          value={chosen?.id ?? ''}
          data={[
            ...(chosen === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
            ...schemas.map((schema) => ({ value: schema.id, label: labelOf(schema) })),
          ]}
          // The schema is part of the URL, so a new sign-in returns to the same form. A guard protects typed values.
          onChange={({ currentTarget }) => {
            rememberSchema(currentTarget.value);
            void navigate({ search: { schema: currentTarget.value }, replace: true });
          }}
        />
      )}
      {chosen !== undefined && <NewIdentityForm key={chosen.id} schemaId={chosen.id} schema={chosen.schema} />}
    </>
  );
}

function WithTypedSchema({ children }: { children: ReactNode }) {
  const { schema: inAddress } = route.useSearch();
  const [typed, setTyped] = useState(inAddress ?? '');
  return (
    <>
      {children}
      <TextInput
        label="Schema"
        description="The ID of a schema in the identity service. Leave empty for the default."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <NewIdentityForm schemaId={typed} schema={undefined} />
    </>
  );
}

/** Without a response, the identity may exist: another attempt would only say that its address is taken. */
function explainDoubt(error: Error): never {
  if (!isInDoubt(error)) throw error;
  throw reworded(error, `${error.message} The identity may have been created: check the list before you try again.`);
}

const labelOf = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title !== '' && schema.title !== id ? `${schema.title} (${id})` : id;

export function NewIdentityForm({ schemaId, schema }: { schemaId: string; schema: JsonSchema | undefined }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useIdentityForm({
    of: `new ${schemaId}`,
    start: null,
    schema,
    refetchSchema: async () =>
      (await queryClient.fetchQuery({ ...identitySchemasQuery, staleTime: 0 })).schemas.find(
        ({ id }) => id === schemaId,
      )?.schema,
    save: async ({ traits, metadata_public, metadata_admin, external_id }) => {
      const created = await createIdentity({
        ...(schemaId === '' ? {} : { schema_id: schemaId }),
        traits,
        ...(metadata_public === null ? {} : { metadata_public }),
        ...(metadata_admin === null ? {} : { metadata_admin }),
        ...(external_id === undefined ? {} : { external_id }),
      }).catch(explainDoubt);
      form.finish();
      toast(`Created ${shortName(created)}`);
      await identitiesChanged(queryClient);
      await navigate({ to: '/identities/$id', params: { id: created.id } });
    },
  });
  return (
    <IdentityForm form={form} label="New identity" unsaved="Not created">
      <FormButtons cancel={{ to: '/identities' }} submit="Create" pending={form.pending} />
    </IdentityForm>
  );
}
