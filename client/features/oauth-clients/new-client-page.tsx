import { Fieldset, Group, List, Paper, SimpleGrid, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { shortened } from '../../lib/visible-text.ts';
import { FormButtons, NewRecordPage } from '../../record/record-form.tsx';
import { loadDialogs } from '../../ui/modal.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useClientForm } from './client-draft.ts';
import { ClientForm } from './client-form.tsx';
import { CLIENT_KINDS, makeClient } from './client-kinds.ts';
import { clientName } from './client-members.ts';
import { CLIENT_PAGES_KEY, CLIENTS, KIND_NAMES, type KindName } from './client-resource.ts';
import { SecretDialog } from './client-secret.tsx';

const route = getRouteApi('/signed-in/oauth/clients/new');

export function NewClientPage() {
  const { kind } = route.useSearch();
  return (
    <NewRecordPage
      title="New client"
      about="An application that signs people in, or calls APIs on its own behalf."
      back={{ to: '/oauth/clients', label: CLIENTS.label }}
    >
      <Kinds chosen={kind} />
      {kind !== undefined && (
        <>
          <Explanation kind={kind} />
          <NewClientForm key={kind} kind={kind} />
        </>
      )}
    </NewRecordPage>
  );
}

const ACCENT = 'var(--mantine-primary-color-filled)';

function Kinds({ chosen }: { chosen: KindName | undefined }) {
  const navigate = route.useNavigate();
  return (
    <Fieldset variant="unstyled" m={0} aria-label="Kind of application">
      <SimpleGrid minColWidth="min(100%, 15rem)" spacing="sm">
        {KIND_NAMES.map((name) => (
          <Paper
            key={name}
            component="label"
            withBorder
            p="sm"
            style={{ cursor: 'pointer', borderColor: chosen === name ? ACCENT : undefined }}
          >
            <Group gap="xs">
              <input
                type="radio"
                name="kind"
                style={{ margin: 0, accentColor: ACCENT }}
                checked={chosen === name}
                // In the URL, so that the same form opens after a sign-in. A guard protects typed values.
                onChange={() => void navigate({ search: { kind: name }, replace: true })}
              />
              <Text span size="sm" fw={600}>
                {CLIENT_KINDS[name].title}
              </Text>
            </Group>
            <Text size="xs" c="dimmed" pl="1.3rem">
              {CLIENT_KINDS[name].about}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

const Explanation = ({ kind }: { kind: KindName }) => (
  <section aria-label="Presets and their reasons">
    <List spacing={2}>
      {CLIENT_KINDS[kind].choices.map(([choice, why]) => (
        <List.Item key={choice}>
          <strong>{choice}.</strong> {why}
        </List.Item>
      ))}
    </List>
  </section>
);

export function NewClientForm({ kind }: { kind: KindName }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const { members: start } = CLIENT_KINDS[kind];
  const open = (id: string) => navigate({ to: '/oauth/clients/$id', params: { id } });
  const form = useClientForm({
    of: `new ${kind}`,
    id: undefined,
    start,
    save: async (members) => {
      await loadDialogs();
      const { client, secret } = await makeClient(members, members.client_id);
      form.finish();
      toast(`Created ${shortened(clientName(client))}`);
      await queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
      if (secret === undefined) await open(client.client_id);
      else setCreated({ id: client.client_id, secret });
    },
  });
  return (
    <>
      <ClientForm form={form} label="New client" kind={kind} unsaved="Not created">
        <FormButtons cancel={{ to: '/oauth/clients' }} submit="Create" pending={form.pending} />
      </ClientForm>
      {created !== undefined && (
        <SecretDialog clientId={created.id} secret={created.secret} onStored={() => void open(created.id)} />
      )}
    </>
  );
}
