/**
 * Ports on which other protocols than HTTP listen: the "bad ports" of the Fetch standard, and well-known ports of databases,
 * caches, queues, remote desktops and file services. What we send there would be read as their commands.
 *
 * Ports from 32768 are not in the list: systems pick them at random, also for HTTP servers.
 */
const forbidden = new Set([
  // The Fetch standard.
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 465, 512, 513,
  514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
  2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // SQL Server, Oracle, Firebird, MySQL, CockroachDB, PostgreSQL with its poolers, Db2.
  1433, 1434, 1521, 1522, 1526, 2483, 2484, 3050, 3306, 3307, 26257, 5432, 5433, 6432, 523,
  // Couchbase, Cassandra, RethinkDB, MongoDB, Neo4j, Elasticsearch between its nodes.
  11207, 11210, 7199, 9042, 9142, 9160, 28015, 29015, 27017, 27018, 27019, 7687, 9300,
  // Redis with its cluster and sentinels, Memcached, Hazelcast.
  6379, 6380, 16379, 26379, 11211, 11214, 11215, 5701,
  // AMQP, MQTT, Kafka, NATS, ZooKeeper, Consul between its nodes, Gearman, beanstalkd.
  5671, 5672, 1883, 8883, 9092, 9093, 9094, 4222, 6222, 2181, 2888, 3888, 8300, 8301, 8302, 4730, 11300,
  // Remote desktops.
  992, 3389, 5900, 5901, 5902, 5903, 5938, 6001, 6002, 6003,
  // SMB, Kerberos, rsync, Git, Subversion, CVS, iSCSI, global catalogs, WINS.
  88, 445, 464, 749, 873, 9418, 3690, 2401, 3260, 3268, 3269, 1512,
  // Mail on other ports, XMPP, IRC, RTMP, STUN.
  106, 220, 2525, 5222, 5223, 5269, 6660, 6661, 6662, 6663, 6664, 6670, 1935, 3478, 5349,
  // SOCKS, OpenVPN, L2TP, IPsec, Tor.
  1080, 1194, 1701, 500, 4500, 9050, 9051, 9150,
  // Syslog over TLS, StatsD, Graphite, collectd, Zabbix, NRPE.
  6514, 8125, 2003, 2004, 25826, 10050, 10051, 5666,
  // Modbus, DNP3, IPMI.
  502, 20000, 623,
]);

/** Whether a port is known for something else than HTTP. */
export const isForbiddenPort = ({ port }: URL): boolean => port !== '' && forbidden.has(Number(port));
