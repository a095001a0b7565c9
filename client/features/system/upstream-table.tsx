import { Anchor, Code, Paper, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Configuration } from '../../../shared/upstreams.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';

/** Which of the six APIs this dashboard proxies, and whether an API key is stored for them. */
export function UpstreamTable({ upstreams }: { upstreams: Configuration['upstreams'] }) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-labelledby="upstreams-heading">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Prefix</Table.Th>
            <Table.Th>Upstream</Table.Th>
            <Table.Th>API key</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {UPSTREAM_NAMES.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Code>/api/{name}</Code>
              </Table.Td>
              <Table.Td>
                {/* No dot: that it has an address says nothing of its health. */}
                {upstreams[name].configured ? 'Configured' : 'Not configured'}
              </Table.Td>
              <Table.Td>
                {upstreams[name].api_key_stored ? (
                  <Anchor
                    size="sm"
                    renderRoot={(props) => <Link to="/settings" search={{ key: apiKeySetting(name) }} {...props} />}
                  >
                    Stored
                  </Anchor>
                ) : (
                  'None stored'
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
