/** The routes for peers of Diameter. */
import { type FakeRoute, no, ok, route } from "./answering.ts";
import { MISSING, NO_REASON } from "./charging-routes.ts";
import { type Charging, note, of } from "./charging.ts";
import { PROFILES, goOnPeers } from "./peers.ts";

const listOf = ({ peers: { connected, refused }, alarms }: Charging) => ({
  served: true,
  peers: connected,
  refused,
  alarms,
  profiles: PROFILES,
});

export const PEER_ROUTES: FakeRoute[] = [
  route("GET /api/charging/peers", "viewer", (world) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    goOnPeers(charging.peers, world.now());
    return ok(listOf(charging));
  }),
  route("POST /api/charging/peers/{peer}/allow", "administrator", (world, { body }, { peer: host }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.because === "") return NO_REASON;
    if (!/^[\w.-]{1,255}$/.test(host))
      return no(422, `"${host}" is no name of a host, and so none of a peer`, "peer-invalid");
    const profile = body.profile ?? "standard";
    if (!PROFILES.includes(profile)) return no(422, `there is no profile "${profile}"`, "profile-unknown");
    charging.peers.allowed.add(host);
    note(charging, world, who, "charging peer allow", `the peer ${host} with the profile ${profile}`, body.because);
    return ok(listOf(charging));
  }),
];
