// biome-ignore lint/performance/noBarrelFile: the chunk that `modal.tsx` loads
export { Drawer, Modal } from '@mantine/core';
