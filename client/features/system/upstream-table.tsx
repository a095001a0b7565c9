import { Link } from '@tanstack/react-router';
import type { Configuration } from '../../../shared/upstreams.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';
import { Paper } from '../../ui/elements/layout.tsx';
import { Table } from '../../ui/elements/table.tsx';
import { Anchor, Code } from '../../ui/elements/text.tsx';

/** Which of the six APIs this dashboard proxies, and whether an API key is stored for them. */
export function UpstreamTable({ upstreams }: { upstreams: Configuration['upstreams'] }) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-labelledby="upstreams-heading">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <thead>
          <tr>
            <th>Prefix</th>
            <th>Upstream</th>
            <th>API key</th>
          </tr>
        </thead>
        <tbody>
          {UPSTREAM_NAMES.map((name) => (
            <tr key={name}>
              <td>
                <Code>/api/{name}</Code>
              </td>
              <td>
                {/* No dot: that it has an address says nothing of its health. */}
                {upstreams[name].configured ? 'Configured' : 'Not configured'}
              </td>
              <td>
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
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Paper>
  );
}
